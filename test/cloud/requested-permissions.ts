import type { DatabaseCall } from '../support/fault-proxy.ts';

interface Request {
  readonly TableName?: string;
  readonly RequestItems?: object;
  readonly TransactItems?: readonly Record<string, { readonly TableName: string }>[];
}

/** The actions by which DynamoDB authorises the items of a transaction. */
const ACTION_OF_ITEM: Readonly<Record<string, string>> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/** The permissions that a database request needs: action and table name. */
const permissionsFor = ({ operation, body }: DatabaseCall): [string, string][] => {
  const { TableName, RequestItems, TransactItems } = JSON.parse(body) as Request;
  if (TransactItems) {
    return TransactItems.flatMap((item) =>
      Object.entries(item).map(([kind, { TableName: name }]): [string, string] => [ACTION_OF_ITEM[kind] ?? kind, name]),
    );
  }
  return RequestItems ? Object.keys(RequestItems).map((name) => [operation, name]) : [[operation, TableName ?? '']];
};

/** As `content GetItem`, sorted, without duplicates. */
export const sortedPermissions = (permissions: readonly (readonly [action: string, table: string])[]): string[] =>
  [...new Set(permissions.map(([action, table]) => `${table} ${action}`))].sort();

/** The permissions that requests to these tables need, as `content GetItem`. */
export const requestedPermissions = (
  calls: readonly DatabaseCall[],
  names: Readonly<Record<string, string>>,
): string[] => {
  const tableOf = (name: string) => Object.entries(names).find(([, known]) => known === name)?.[0] ?? name;
  return sortedPermissions(calls.flatMap(permissionsFor).map(([action, name]) => [action, tableOf(name)]));
};
