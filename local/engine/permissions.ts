/**
 * The part of IAM that the embedded engine enforces: what a function may do with the tables. A header tells which
 * function sends a request, as the credentials of its role tell DynamoDB.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { TableId } from '../../core/tables.ts';
import type { FunctionId } from '../../functions/endpoints/endpoint-files.ts';
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

/** The header with the id of the function. Requests without it, such as the CLI's, may do everything. */
export const CALLING_FUNCTION = 'x-calling-function';

const calling = new AsyncLocalStorage<FunctionId>();

/** Runs the work of a function: requests that it sends with a client of `nameCallingFunction` name it. */
export const callAs = <Result>(id: FunctionId, work: () => Result): Result => calling.run(id, work);

/** Makes a client name the calling function in each request. All functions of this process share the client. */
export const nameCallingFunction = ({ middlewareStack }: DynamoDBDocumentClient): void =>
  middlewareStack.add(
    (next) => (args) => {
      const id = calling.getStore();
      const { headers } = args.request as { readonly headers: Record<string, string> };
      if (id !== undefined) headers[CALLING_FUNCTION] = id;
      return next(args);
    },
    { step: 'build', name: 'nameCallingFunction', override: true },
  );
