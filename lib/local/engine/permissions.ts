/** What a function may do with the tables: the part of IAM that the embedded engine enforces. */
import type { TableId } from '../../../core/tables.ts';
import { type EndpointId, endpoints } from '../../../functions/endpoints/table.ts';
import { grantedActions, type ServedEndpoint, type TableActions } from '../../../functions/http/endpoint.ts';
import { endpoint as notFound } from '../../../functions/not-found/endpoint.ts';
import { type JsonObject, RejectedRequest } from './protocol.ts';

interface Request {
  readonly TableName?: string;
  readonly RequestItems?: object;
  readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName?: string }>>[];
}

/** A DynamoDB action and the name of the table that it is about. */
export type Permission = readonly [action: string, table: string];

/** DynamoDB authorises a transaction by the actions of its items. */
const ofItem = (kind: string): string => (kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`);

/** The permissions that a request to DynamoDB needs. */
export const permissionsFor = (operation: string, input: JsonObject): readonly Permission[] => {
  const { TableName = '', RequestItems, TransactItems } = input as Request;
  if (TransactItems) {
    return TransactItems.flatMap((item) =>
      Object.entries(item).map(([kind, { TableName: name = '' }]) => [ofItem(kind), name] as const),
    );
  }
  return RequestItems ? Object.keys(RequestItems).map((name) => [operation, name]) : [[operation, TableName]];
};

const actionsOf = (functionId: string): TableActions => {
  const rows: Readonly<Record<string, ServedEndpoint>> = { ...endpoints, 'not-found': notFound };
  const row = rows[functionId as EndpointId | 'not-found'];
  return row ? grantedActions(row) : {};
};

/** `keys` of `local-keys`: on this machine the name of a table is a prefix and its id (core/tables.ts). */
const tableIdIn = (name: string): string => name.replace(/^.*-/, '');

/**
 * Rejects a request that the role of the calling function would not permit on AWS.
 * @throws RejectedRequest `AccessDeniedException`
 */
export const authorise = (functionId: string, operation: string, input: JsonObject): void => {
  const granted = actionsOf(functionId);
  for (const [action, table] of permissionsFor(operation, input)) {
    const actions: readonly string[] = granted[tableIdIn(table) as TableId] ?? [];
    if (!actions.includes(action)) {
      const message = `The function ${functionId} is not authorized to perform: dynamodb:${action} on ${table}`;
      throw new RejectedRequest('AccessDeniedException', message);
    }
  }
};
