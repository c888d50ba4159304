import { tableNamesFromEnvironment } from '../../core/runtime/environment.ts';
import type { TableId } from '../../core/tables.ts';
import { grantedActions, type HttpFunction } from './endpoint-definition.ts';

/** The tables that the role of a function may use. @throws MissingEnvironment naming every variable that is missing */
export const tableNamesOf = <const Tables extends HttpFunction['tables']>(endpoint: {
  readonly tables: Tables;
}): Record<'keys' | 'usage' | (keyof Tables & TableId), string> =>
  tableNamesFromEnvironment(Object.keys(grantedActions(endpoint)) as TableId[]);
