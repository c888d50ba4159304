import { isDatabaseFault } from '../runtime/dynamodb.ts';
import { logFailure } from '../runtime/log.ts';
import type { Flow } from './flow.ts';

/** Tells the operator, by log and metrics, what went wrong inside; the caller learns nothing of it. */
export const tellOperator = (flow: Flow, failure: unknown): void => {
  flow.databaseFault = isDatabaseFault(failure);
  logFailure(flow.requestId, failure);
};
