import { randomBytes } from 'node:crypto';
import pLimit from 'p-limit';
import type { DynamoItem } from '../../core/dynamodb/database.ts';
import { backoffMs, deadlineIn } from '../../core/runtime/deadline.ts';
import type { Erasure } from '../../core/vehicles/erasure.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import type { RecordOutcome } from './counts.ts';
import { erasures } from './erasures.ts';
import type { FileOptions } from './file-options.ts';
import {
  computeDigest,
  type FindScanned,
  type Part,
  type PartSummary,
  type RecordForm,
  summaryOf,
} from './record-form.ts';
import { runConcurrently } from './run-concurrently.ts';
import {
  REVISION_BYTES,
  STALL_TIMEOUT_MS,
  type StoredRecord,
  storedRecords,
  type WriteResult,
} from './stored-records.ts';

/** DynamoDB's limit for one BatchGetItem. */
export const BATCH = 100;
/** Batches in progress: some are read while others are written. */
export const BATCHES_IN_FLIGHT = 4;
/** Concurrent writes: enough to hide network latency, few enough to avoid immediate throttling. */
const WRITES_IN_FLIGHT = 32;

/** Why a valid record was not written. */
interface WriteRefusal {
  readonly reason: string;
}

const DAMAGED: WriteRefusal = {
  reason: 'the stored record of this vehicle is damaged; remove it, then import this row',
};

/** What a file says of a registration. */
export interface RecordChange<Body extends object = object> {
  readonly registration: string;
  /** All but registration and last update, in the order of the schema; undefined when the part is removed. */
  readonly body?: Body;
  /** Undefined when the file does not give it, null when it says that it is not known. */
  readonly lastUpdated?: string | null | undefined;
  /** Whether the whole record is removed, whoever has supplied it. */
  readonly removesWhole?: boolean;
  /** The vehicle is erased: this takes the place of its records in both tables. */
  readonly erasure?: Erasure['erased'];
}

const compare = (
  { body, lastUpdated }: RecordChange,
  own: PartSummary | undefined,
  ifNewer: boolean,
): RecordOutcome => {
  if (body === undefined) return own === undefined ? 'notThere' : 'removed';
  if (own === undefined) return 'loaded';
  const isSameTime = lastUpdated === undefined || (lastUpdated ?? undefined) === own.lastUpdated;
  if (isSameTime && own.digest === computeDigest(body)) return 'unchanged';
  if (!ifNewer) return 'loaded';
  // An unknown age counts as the oldest. All times are written in one form, so they compare as texts.
  return lastUpdated && (own.lastUpdated === undefined || own.lastUpdated < lastUpdated) ? 'loaded' : 'kept';
};

type ChangeContext = CommandContext &
  Pick<FileOptions, 'dryRun' | 'ifNewer'> & { readonly restore?: boolean; readonly scanned?: FindScanned | undefined };

/**
 * Writes at most `BATCH` changes, and settles each one that is done by its index. Starts none once stopped; none is in
 * flight when it throws.
 */
export type RecordWriter = (
  changes: readonly RecordChange[],
  isStopped: () => boolean,
  settle: (index: number, result: RecordOutcome | WriteRefusal) => void,
) => Promise<void>;

const isWrite = (outcome: RecordOutcome | WriteRefusal): boolean => outcome === 'loaded' || outcome === 'removed';

/**
 * Writes the records that differ from what is stored, each only if it is still as it was read; otherwise it is compared
 * again. The parts of other suppliers stay, and so does an erasure.
 * @param fileTime the last update of a record without one of its own
 */
export const recordChanges = <Body extends object>(
  form: RecordForm<Body>,
  context: ChangeContext,
  fileTime: string | null = null,
) => {
  const { supplier } = form;
  const { dryRun, ifNewer, restore, scanned } = context;
  const records = storedRecords(form, context);
  const limit = pLimit(WRITES_IN_FLIGHT);

  const othersIn = (stored: StoredRecord<Body> | undefined): Map<string, Part<Body>> =>
    new Map([...(stored?.parts ?? [])].filter(([name]) => name !== supplier));

  /** The outcome if nobody else changes the record; `loaded` and `removed` need a write. */
  const decide = (change: RecordChange<Body>, stored: StoredRecord<Body> | undefined): RecordOutcome | WriteRefusal => {
    if (stored?.isErased) return 'erased';
    if (change.removesWhole) return stored === undefined ? 'notThere' : 'removed';
    if (stored !== undefined && stored.parts === undefined) return DAMAGED;
    const own = stored?.parts?.get(supplier);
    const outcome = compare(change, own && summaryOf(own), ifNewer);
    if (outcome !== 'loaded' || change.body === undefined) return outcome;
    const reason = form.conflict?.(change.body, othersIn(stored));
    return reason === undefined ? outcome : { reason };
  };

  /** Undefined when nobody supplies the record any more. */
  const changed = (
    { registration, body, lastUpdated = fileTime, removesWhole }: RecordChange<Body>,
    stored: StoredRecord<Body> | undefined,
  ): DynamoItem | undefined => {
    const parts = removesWhole ? new Map<string, Part<Body>>() : othersIn(stored);
    if (body !== undefined) parts.set(supplier, { body, lastUpdated: lastUpdated ?? undefined });
    return parts.size === 0 ? undefined : { registration, ...form.join(parts) };
  };

  const erase = async (registration: string, erasure: Erasure['erased']): Promise<RecordOutcome> => {
    const outcome = await erasures(context).erase(registration, erasure, dryRun);
    // Whether a restored erasure replaces anything is of no interest.
    return restore && outcome === 'notThere' ? 'erased' : outcome;
  };

  const apply = async (
    change: RecordChange<Body>,
    found: StoredRecord<Body> | undefined,
  ): Promise<RecordOutcome | WriteRefusal> => {
    const { registration, erasure } = change;
    if (erasure !== undefined) return erase(registration, erasure);
    const deadline = deadlineIn(STALL_TIMEOUT_MS);
    let earlier: { readonly revision: string; readonly outcome: RecordOutcome | WriteRefusal } | undefined;
    let mayBeRemoved = false;
    let stored = found;
    for (let tries = 0; ; tries += 1) {
      // An attempt was applied, and its response lost.
      if (earlier !== undefined && stored?.revision === earlier.revision) return earlier.outcome;
      const outcome = decide(change, stored);
      // What an earlier attempt has deleted leaves no revision.
      if (outcome === 'notThere' && mayBeRemoved) return 'removed';
      if (!isWrite(outcome)) return outcome;
      earlier = { revision: randomBytes(REVISION_BYTES).toString('hex'), outcome };
      const item = changed(change, stored);
      let applied: WriteResult;
      if (item !== undefined) applied = await records.put({ ...item, revision: earlier.revision }, stored);
      else if (stored !== undefined) applied = await records.remove(registration, stored);
      else return outcome;
      if (applied === 'yes') return outcome;
      if (applied === 'maybe' && outcome === 'removed') mayBeRemoved = true;
      if (tries > 0) await deadline.pause(backoffMs(tries));
      stored = (await records.find([registration])).get(registration);
    }
  };

  /** Undefined where the scan has found a difference: the whole record is needed then. */
  const outcomeByScan = (change: RecordChange<Body>): RecordOutcome | undefined => {
    if (scanned === undefined) return undefined;
    const found = scanned(change.registration);
    if (found === 'erased') return found;
    const outcome = compare(change, found, ifNewer);
    return isWrite(outcome) ? undefined : outcome;
  };

  const write = async (
    changes: readonly RecordChange<Body>[],
    isStopped: () => boolean,
    settle: Parameters<RecordWriter>[2],
  ): Promise<void> => {
    const byScan = changes.map(outcomeByScan);
    const undecided = changes.filter(({ erasure }, index) => byScan[index] === undefined && erasure === undefined);
    const found = await records.find(undecided.map(({ registration }) => registration));
    const differing = changes.entries().filter(([index, change]) => {
      if (change.erasure !== undefined) return true;
      const outcome = byScan[index] ?? decide(change, found.get(change.registration));
      const differs = !dryRun && isWrite(outcome);
      if (!differs) settle(index, outcome);
      return differs;
    });
    await runConcurrently(differing, BATCH, isStopped, ([index, change], isOver) =>
      limit(async () => {
        if (!isOver()) settle(index, await apply(change, found.get(change.registration)));
      }),
    );
  };

  return {
    write,
    /** Writes any number of records, a batch after the other. */
    writeAll: async (
      changes: readonly RecordChange<Body>[],
      isStopped: () => boolean,
      onOutcome: (outcome: RecordOutcome | WriteRefusal, change: RecordChange<Body>) => void,
    ) => {
      for (let start = 0; start < changes.length && !isStopped(); start += BATCH) {
        const batch = changes.slice(start, start + BATCH);
        await write(batch, isStopped, (index, outcome) => onOutcome(outcome, batch[index] as RecordChange<Body>));
      }
    },
  };
};
