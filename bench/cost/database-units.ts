import { database } from '../../functions/dynamodb/database.ts';

/** What some work took of the database. */
export interface DatabaseUse {
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

const READS = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand']);

interface Consumed {
  readonly CapacityUnits?: number;
}

const unitsOf = (consumed: Consumed | readonly Consumed[] | undefined): number =>
  [consumed ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);

/** Meters the client of the functions in this process. What it returns tells the use by some work, alone meanwhile. */
export const meterFunctions = () => {
  let use = { requests: 0, readUnits: 0, writeUnits: 0 };
  database().middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const input = { ...(args.input as object), ReturnConsumedCapacity: 'TOTAL' };
        const answer = await next({ ...args, input } as typeof args);
        const units = unitsOf((answer.output as { ConsumedCapacity?: Consumed }).ConsumedCapacity);
        use.requests += 1;
        use[READS.has(commandName) ? 'readUnits' : 'writeUnits'] += units;
        return answer;
      },
    { step: 'initialize', name: 'meter' },
  );
  return async (work: () => Promise<unknown>): Promise<DatabaseUse> => {
    use = { requests: 0, readUnits: 0, writeUnits: 0 };
    await work();
    return use;
  };
};
