import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { clientOf } from '../test/support/engine.ts';

/** What some work cost at the database, as the engine counts it. */
export interface Cost {
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly units: number;
}

const READS = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand', 'ScanCommand']);

/**
 * Makes clients ask for the units of each request.
 * @returns the cost of some work, which must be all that the clients do meanwhile
 */
export const meter = (...clients: readonly DynamoDBDocumentClient[]) => {
  let requests = 0;
  let readUnits = 0;
  let writeUnits = 0;
  for (const { middlewareStack } of clients) {
    middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          const answer = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
          const { ConsumedCapacity = [] } = answer.output as {
            ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[];
          };
          const units = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
          requests += 1;
          if (READS.has(commandName)) readUnits += units;
          else writeUnits += units;
          return answer;
        },
      { step: 'initialize', name: 'meter' },
    );
  }
  return async (work: () => Promise<unknown>): Promise<Cost> => {
    [requests, readUnits, writeUnits] = [0, 0, 0];
    await work();
    return { requests, readUnits, writeUnits, units: readUnits + writeUnits };
  };
};

export const meteredClient = (endpoint: string) => {
  const client = clientOf(endpoint);
  return { client, costOf: meter(client) };
};
