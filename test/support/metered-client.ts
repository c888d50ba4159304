import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { clientOf } from './engine.ts';

/** What a stretch of work cost at the database. */
export interface Cost {
  readonly requests: number;
  /** Read and write units together, as the engine accounts for them. */
  readonly units: number;
}

interface Consumed {
  readonly CapacityUnits?: number;
}

const unitsOf = (consumed: Consumed | readonly Consumed[] | undefined): number =>
  [consumed ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);

/** A client that asks for the units of each request and adds them up. */
export const meteredClient = (endpoint: string) => {
  const client: DynamoDBDocumentClient = clientOf(endpoint);
  let requests = 0;
  let units = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      const input = { ...(args.input as object), ReturnConsumedCapacity: 'TOTAL' };
      const answer = await next({ ...args, input } as typeof args);
      requests += 1;
      units += unitsOf((answer.output as { ConsumedCapacity?: Consumed }).ConsumedCapacity);
      return answer;
    },
    { step: 'initialize', name: 'meter' },
  );
  return {
    client,
    /** The cost of some work, which must be all that the client does meanwhile. */
    costOf: async (work: () => Promise<unknown>): Promise<Cost> => {
      [requests, units] = [0, 0];
      await work();
      return { requests, units };
    },
  };
};
