/** The part of IAM that the embedded engine enforces: what a function may do with the tables. */
import type { TableId } from '../../core/tables.ts';
import { endpoints } from '../../functions/endpoints/table.ts';
import { grantedActions, type HttpFunction } from '../../functions/http/endpoint-definition.ts';
import { endpoint as notFound } from '../../functions/not-found/endpoint.ts';
import { type JsonObject, RejectedRequest } from './protocol.ts';

interface Request {
  readonly TableName?: string;
  readonly RequestItems?: object;
  readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName?: string }>>[];
}

type Permission = readonly [action: string, table: string];

/** DynamoDB authorises a transaction by the actions of its items. */
const ofItem = (kind: string): string => (kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`);

/** The actions that a request to DynamoDB needs, each with the name of a table. */
export const permissionsFor = (operation: string, input: JsonObject): readonly Permission[] => {
  const { TableName = '', RequestItems, TransactItems } = input as Request;
  if (TransactItems) {
    return TransactItems.flatMap((item) =>
      Object.entries(item).map(([kind, { TableName: name = '' }]) => [ofItem(kind), name] as const),
    );
  }
  return RequestItems ? Object.keys(RequestItems).map((name) => [operation, name]) : [[operation, TableName]];
};

const functions: Readonly<Record<string, HttpFunction>> = { ...endpoints, 'not-found': notFound };

/**
 * Rejects a request that the role of the calling function would not permit on AWS.
 * @throws RejectedRequest `AccessDeniedException`
 */
export const authorise = (functionId: string, operation: string, input: JsonObject): void => {
  const caller = functions[functionId];
  const granted: ReturnType<typeof grantedActions> = caller ? grantedActions(caller) : {};
  for (const [action, table] of permissionsFor(operation, input)) {
    // `keys` of `local-keys`: on this machine the name of a table is a prefix and its id (core/tables.ts).
    const id = table.replace(/^.*-/, '') as TableId;
    const actions: readonly string[] = granted[id] ?? [];
    if (!actions.includes(action)) {
      const message = `The function ${functionId} is not authorized to perform: dynamodb:${action} on ${table}`;
      throw new RejectedRequest('AccessDeniedException', message);
    }
  }
};
