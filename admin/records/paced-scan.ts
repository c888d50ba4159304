import { setTimeout } from 'node:timers/promises';
import { ScanCommand, type ScanCommandInput, type ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import { isThrottle } from '../../core/aws/database.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { retryTransient } from './retry-transient.ts';

/** Units of a strongly consistent page of 1 MB, the most that a Scan returns. */
const LARGEST_PAGE = 256;
/** Pages are small, so that the units of a second are spread over it. */
const PAGES_PER_SECOND = 10;
/** A throttled scan goes on at half its pace, but never below this many units a second. */
const SLOWEST = 10;
/** The pace grows by this factor with each read, up to its limit. */
const RECOVERY = 1.05;

interface Clock {
  /** Milliseconds. */
  readonly now: () => number;
  readonly wait: (milliseconds: number) => Promise<unknown>;
}

const CLOCK: Clock = { now: () => performance.now(), wait: setTimeout };

/**
 * Spreads the reads of a load over time, so that the capacity of the table is left to lookups.
 * @param unitsPerSecond read units; undefined for reads without a limit
 */
export const readPace = (unitsPerSecond: number | undefined, { now, wait }: Clock = CLOCK) => {
  const most = unitsPerSecond ?? Number.POSITIVE_INFINITY;
  let pace = most;
  /** When the reads that were taken so far are over at this pace. */
  let free = 0;
  return {
    isLimited: unitsPerSecond !== undefined,
    pageUnits: (): number => Math.min(LARGEST_PAGE, pace / PAGES_PER_SECOND),

    /** Waits for the turn of a read that takes about so many units. */
    take: async (units: number): Promise<void> => {
      const begin = Math.max(now(), free);
      free = begin + (units * 1_000) / pace;
      if (begin > now()) await wait(begin - now());
    },

    /** A read took so many units more, or fewer, than it was expected to. */
    correct: (units: number): void => {
      free += (units * 1_000) / pace;
      pace = Math.min(most, pace * RECOVERY);
    },

    slowDown: (): void => {
      pace = Math.min(most, Math.max(SLOWEST, pace / 2));
    },
  };
};

/** The pages of a strongly consistent scan. Each request is repeated while its errors are transient. */
export async function* scanPages(
  { db, readUnits }: Pick<Deployment, 'db' | 'readUnits'>,
  input: ScanCommandInput,
  pace = readPace(readUnits),
): AsyncGenerator<NonNullable<ScanCommandOutput['Items']>> {
  // Until the first page says it: most records take less.
  let unitsOfItem = 1;
  let ExclusiveStartKey: ScanCommandInput['ExclusiveStartKey'];
  do {
    const units = pace.pageUnits();
    const limited = { Limit: Math.max(1, Math.floor(units / unitsOfItem)), ReturnConsumedCapacity: 'TOTAL' } as const;
    const command = new ScanCommand({
      ConsistentRead: true,
      ...input,
      ...(pace.isLimited && limited),
      ExclusiveStartKey,
    });
    await pace.take(units);
    const page = await retryTransient(async () => {
      try {
        return await db.send(command);
      } catch (error) {
        if (isThrottle(error)) pace.slowDown();
        throw error;
      }
    });
    const { CapacityUnits = units } = page.ConsumedCapacity ?? {};
    pace.correct(CapacityUnits - units);
    if (page.ScannedCount) unitsOfItem = CapacityUnits / page.ScannedCount;
    yield page.Items ?? [];
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
}
