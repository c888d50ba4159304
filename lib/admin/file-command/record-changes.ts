import { randomBytes } from 'node:crypto';
import pLimit from 'p-limit';
import { backoffMs, deadlineIn } from '../../../core/runtime/deadline.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import type { Outcome } from './counts.ts';
import type { RowContext } from './file-command.ts';
import { digestOf, type RecordTable, STALL_TIMEOUT_MS, type StoredRecord, storedRecords } from './stored-records.ts';
import type { NotWritten, Writing } from './writing.ts';

/** Records that are read together: DynamoDB's own limit for one BatchGetItem. */
const BATCH = 100;
/** Batches of which some are read while others are written. */
const BATCHES_IN_FLIGHT = 4;
/** Concurrent writes: enough to hide network latency, few enough to avoid immediate throttling. */
const WRITES_IN_FLIGHT = 32;
/** Bytes of a revision. */
const REVISION_BYTES = 16;

const DAMAGED: NotWritten = {
  reason: 'the stored record of this vehicle is damaged; remove it, then import this row',
  waits: false,
};

/** What a file says of a registration. */
export interface RecordChange {
  readonly registration: string;
  /** All but registration and last update, in the order of the schema; undefined for a record that is to be removed. */
  readonly part?: object;
  /** Undefined when the file does not give it, null when it says that it is not known. */
  readonly lastUpdated?: string | null | undefined;
}

/** The outcome if nobody else changes the record; `loaded` and `removed` need a write. */
const decide = (
  { part, lastUpdated }: RecordChange,
  stored: StoredRecord | undefined,
  ifNewer: boolean,
): Outcome | NotWritten => {
  if (part === undefined) return stored === undefined ? 'notThere' : 'removed';
  if (stored === undefined) return 'loaded';
  if (stored.digest === undefined) return DAMAGED;
  const isSameTime = lastUpdated === undefined || (lastUpdated ?? undefined) === stored.lastUpdated;
  if (isSameTime && stored.digest === digestOf(part)) return 'unchanged';
  if (!ifNewer) return 'loaded';
  // An unknown age counts as the oldest. All times are written in one form, so they compare as texts.
  return lastUpdated && (stored.lastUpdated === undefined || stored.lastUpdated < lastUpdated) ? 'loaded' : 'kept';
};

type ChangeContext = CommandContext & Pick<RowContext, 'dryRun' | 'ifNewer' | 'scanned'>;

const isWrite = (outcome: Outcome | NotWritten): boolean => outcome === 'loaded' || outcome === 'removed';

/**
 * Writes the records of vehicles or compliance that differ from what is stored, each on the condition that it is still as it was
 * read; otherwise it is read and decided again. @param fileTime the last update of a record that the file does not give
 */
export const recordChanges = (
  table: RecordTable,
  context: ChangeContext,
  fileTime: string | null = null,
): Writing<RecordChange> & { readonly batchSize: number } => {
  const { dryRun, ifNewer, scanned } = context;
  const records = storedRecords(table, context);
  const limit = pLimit(WRITES_IN_FLIGHT);

  const apply = async (change: RecordChange, found: StoredRecord | undefined): Promise<Outcome | NotWritten> => {
    const { registration, part, lastUpdated = fileTime } = change;
    const deadline = deadlineIn(STALL_TIMEOUT_MS);
    let revision: string | undefined;
    for (let [stored, tries] = [found, 0]; ; tries += 1) {
      // An attempt was applied, and its response lost.
      if (revision !== undefined && stored?.revision === revision) return 'loaded';
      const outcome = decide(change, stored, ifNewer);
      if (!isWrite(outcome)) return outcome;
      revision = randomBytes(REVISION_BYTES).toString('hex');
      const isWritten =
        stored !== undefined && part === undefined
          ? await records.remove(registration, stored)
          : await records.put(
              { registration, ...part, ...(lastUpdated !== null && { lastUpdated }), revision },
              stored,
            );
      if (isWritten) return outcome;
      if (tries > 0) await deadline.pause(backoffMs(tries));
      stored = (await records.find([registration])).get(registration);
    }
  };

  return {
    batchSize: BATCH,
    concurrency: BATCHES_IN_FLIGHT,
    fits: ({ length }) => length <= BATCH,
    write: async (changes, isStopped, settle) => {
      const found = scanned ? undefined : await records.find(changes.map(({ registration }) => registration));
      const errors: unknown[] = [];
      const write = async (change: RecordChange, stored: StoredRecord | undefined, index: number): Promise<void> => {
        if (isStopped() || errors.length > 0) return;
        try {
          settle(index, await apply(change, stored));
        } catch (error) {
          errors.push(error);
        }
      };
      const writes: Promise<void>[] = [];
      for (const [index, change] of changes.entries()) {
        const stored = scanned ? scanned(change.registration) : found?.get(change.registration);
        const outcome = decide(change, stored, ifNewer);
        if (dryRun || !isWrite(outcome)) settle(index, outcome);
        else writes.push(limit(write, change, stored, index));
      }
      await Promise.all(writes);
      if (errors.length > 0) throw errors[0];
    },
  };
};
