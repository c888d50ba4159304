/** Tells the embedded engine which function sends a request, as the credentials of its role tell DynamoDB. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { FunctionId } from '../functions/endpoints/endpoint-files.ts';

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
