import { permissionsFor } from '../../local/engine/permissions.ts';
import type { DatabaseCall } from '../support/fault-proxy.ts';

/** As `content GetItem`, sorted, without duplicates. */
export const sortedPermissions = (permissions: readonly (readonly [action: string, table: string])[]): string[] =>
  [...new Set(permissions.map(([action, table]) => `${table} ${action}`))].sort();

/** The permissions that requests to these tables need, as `content GetItem`. */
export const requestedPermissions = (
  calls: readonly DatabaseCall[],
  names: Readonly<Record<string, string>>,
): string[] => {
  const tableOf = (name: string) => Object.entries(names).find(([, known]) => known === name)?.[0] ?? name;
  const permissions = calls.flatMap(({ operation, body }) => permissionsFor(operation, JSON.parse(body)));
  return sortedPermissions(permissions.map(([action, name]) => [action, tableOf(name)]));
};
