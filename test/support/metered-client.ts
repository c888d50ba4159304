import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { clientOf } from './engine.ts';

/** What some work cost at the database, as the engine counts it. */
export interface Cost {
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Both together. */
  readonly units: number;
}

const READS = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand']);

interface Consumed {
  readonly CapacityUnits?: number;
}

const unitsOf = (consumed: Consumed | readonly Consumed[] | undefined): number =>
  [consumed ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);

/**
 * Makes a client ask for the units of each request.
 * @returns the cost of some work, which must be all that the client does meanwhile
 */
export const meter = ({ middlewareStack }: DynamoDBDocumentClient) => {
  let [requests, readUnits, writeUnits] = [0, 0, 0];
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const input = { ...(args.input as object), ReturnConsumedCapacity: 'TOTAL' };
        const answer = await next({ ...args, input } as typeof args);
        const units = unitsOf((answer.output as { ConsumedCapacity?: Consumed }).ConsumedCapacity);
        requests += 1;
        if (READS.has(commandName)) readUnits += units;
        else writeUnits += units;
        return answer;
      },
    { step: 'initialize', name: 'meter' },
  );
  return async (work: () => Promise<unknown>): Promise<Cost> => {
    [requests, readUnits, writeUnits] = [0, 0, 0];
    await work();
    return { requests, readUnits, writeUnits, units: readUnits + writeUnits };
  };
};

/** A client whose work is metered. */
export const meteredClient = (endpoint: string) => {
  const client = clientOf(endpoint);
  return { client, costOf: meter(client) };
};
