import { permissionsFor } from '../../local/engine/permissions.ts';
import type { DatabaseCall } from '../support/fault-proxy.ts';

/** The permissions that requests to these tables need, as `content GetItem`; sorted. */
export const requestedPermissions = (
  calls: readonly DatabaseCall[],
  names: Readonly<Record<string, string>>,
): string[] => {
  const tableOf = (name: string) => Object.entries(names).find(([, known]) => known === name)?.[0] ?? name;
  const permissions = calls.flatMap(({ operation, body }) => permissionsFor(operation, JSON.parse(body)));
  return [...new Set(permissions.map(([action, name]) => `${tableOf(name)} ${action}`))].sort();
};
