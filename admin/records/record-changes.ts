import { randomBytes } from 'node:crypto';
import type { DynamoItem } from '../../core/dynamodb/database.ts';
import { backoffMs, deadlineIn } from '../../core/runtime/deadline.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { changeErasure, type ErasureChange } from './erasures.ts';
import { computeDigest, type PartSummary, type RecordTarget, summaryOf } from './record-target.ts';
import { STALL_TIMEOUT_MS } from './retry-transient.ts';
import { runConcurrently } from './run-concurrently.ts';
import { REVISION_BYTES, type StoredRecord, storedRecords } from './stored-records.ts';

/** DynamoDB's limit for one BatchGetItem. */
const BATCH = 100;
/** Batches that are read ahead of the writes. */
const BATCHES_AHEAD = 4;
/** Concurrent writes: enough to hide network latency, few enough to avoid immediate throttling. */
const WRITES_IN_FLIGHT = 32;

/**
 * The outcomes of a valid record. `kept` means that the stored record is as new or newer, `notThere` that none is
 * stored, `erased` that the vehicle is erased, now or before, and `undone` that its erasure was taken back.
 */
export const RECORD_OUTCOMES = ['loaded', 'unchanged', 'kept', 'removed', 'notThere', 'erased', 'undone'] as const;

export type RecordOutcome = (typeof RECORD_OUTCOMES)[number];

interface WriteRefusal {
  readonly reason: string;
}

/** Puts or removes the part of a record that the target names. */
type PartChange =
  | {
      readonly kind: 'put';
      readonly registration: string;
      /** All but registration and last update, in the order of the schema. */
      readonly body: object;
      /** Undefined when the file does not give it, null when the file says that it is unknown. */
      readonly lastUpdated: string | null | undefined;
      /** When an erasure of the vehicle was undone, as a line of an export says. */
      readonly erasureUndone?: string | undefined;
    }
  | { readonly kind: 'remove'; readonly registration: string };

/** The change that a file makes to the record of a registration. */
export type RecordChange = PartChange | ErasureChange;

const isPartChange = (change: RecordChange): change is PartChange => change.kind === 'put' || change.kind === 'remove';

export interface ChangeOptions {
  readonly dryRun: boolean;
  readonly ifNewer?: boolean;
  readonly fileTime?: string;
  /** What a scan has found for a registration: the supplier's part, or that the vehicle is erased. */
  readonly findInScan?: ((registration: string) => PartSummary | 'erased' | undefined) | undefined;
}

const compare = (change: PartChange, ownPart: PartSummary | undefined, ifNewer: boolean): RecordOutcome => {
  if (change.kind === 'remove') return ownPart === undefined ? 'notThere' : 'removed';
  if (ownPart === undefined) return 'loaded';
  const { body, lastUpdated } = change;
  // A file that says nothing of the time has no other one, and an unknown time is stored as none.
  const isSameTime = lastUpdated === undefined || (lastUpdated ?? undefined) === ownPart.lastUpdated;
  if (isSameTime && ownPart.digest === computeDigest(body)) return 'unchanged';
  if (!ifNewer) return 'loaded';
  // An unknown age counts as the oldest. All times are written in one form, so they compare as texts.
  return lastUpdated && (ownPart.lastUpdated === undefined || ownPart.lastUpdated < lastUpdated) ? 'loaded' : 'kept';
};

const isWrite = (outcome: RecordOutcome | WriteRefusal): outcome is 'loaded' | 'removed' =>
  outcome === 'loaded' || outcome === 'removed';

/** Reads batches of items, a few of them ahead, and yields the results in the order of the items. */
async function* readAhead<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  read: (batch: readonly Item[]) => Promise<readonly Result[]>,
): AsyncGenerator<Result> {
  const ahead: Promise<readonly Result[]>[] = [];
  let batch: Item[] = [];
  const begin = (): void => {
    const reading = read(batch);
    // The error is thrown when it is the batch's turn. Until then Node would report it as unhandled.
    reading.catch(() => undefined);
    ahead.push(reading);
    batch = [];
  };
  try {
    for await (const item of items) {
      if (batch.push(item) === BATCH) begin();
      if (ahead.length === BATCHES_AHEAD) yield* (await ahead.shift()) ?? [];
    }
    begin();
    while (ahead.length > 0) yield* (await ahead.shift()) ?? [];
  } finally {
    await Promise.allSettled(ahead);
  }
}

/**
 * Writes the records that differ from what is stored. A write fails when the stored record has changed since it was
 * read, and the record is then compared again. The parts of other suppliers stay, and so does an erasure.
 */
export const recordChanges = (
  target: RecordTarget,
  { dryRun, ifNewer = false, fileTime, findInScan }: ChangeOptions,
  context: CommandContext,
) => {
  const { supplier } = target;
  const records = storedRecords(target, context);

  const othersIn = (stored: StoredRecord | undefined) =>
    new Map([...(stored?.parts ?? [])].filter(([name]) => name !== supplier));

  /** The outcome for what is stored; `loaded` and `removed` need a write. */
  const decide = (change: PartChange, stored: StoredRecord | undefined): RecordOutcome | WriteRefusal => {
    if (stored?.isErased) return 'erased';
    if (stored !== undefined && stored.parts === undefined) {
      if (target.isWhole && change.kind === 'remove') return 'removed';
      return { reason: 'the stored record of this vehicle is damaged; remove it, then import this row' };
    }
    const ownPart = stored?.parts?.get(supplier);
    const outcome = compare(change, ownPart && summaryOf(ownPart), ifNewer);
    if (outcome !== 'loaded' || change.kind === 'remove') return outcome;
    const reason = target.findConflict?.(change.body, othersIn(stored));
    return reason === undefined ? outcome : { reason };
  };

  /** The item to store; undefined when no supplier has a part of the record any more, and it was never erased. */
  const changed = (change: PartChange, stored: StoredRecord | undefined): DynamoItem | undefined => {
    const parts = othersIn(stored);
    if (change.kind === 'put') {
      const { body, lastUpdated = fileTime } = change;
      parts.set(supplier, { body, lastUpdated: lastUpdated ?? undefined });
    }
    const { erasureUndone } = stored ?? {};
    if (parts.size === 0 && erasureUndone === undefined) return undefined;
    const record = parts.size === 0 ? {} : target.join(parts);
    return { registration: change.registration, ...record, ...(erasureUndone !== undefined && { erasureUndone }) };
  };

  /** Reads what is stored, decides, and writes it if it is unchanged, otherwise again. `found` is the first reading. */
  const apply = async (change: PartChange, found: StoredRecord | undefined): Promise<RecordOutcome | WriteRefusal> => {
    const { registration } = change;
    const deadline = deadlineIn(STALL_TIMEOUT_MS);
    let attempted: RecordOutcome | undefined;
    let stored = found;
    for (let tries = 0; ; tries += 1) {
      const outcome = decide(change, stored);
      // The earlier attempt was applied and its response was lost, or somebody else has made the same change.
      if (attempted !== undefined && (outcome === 'unchanged' || outcome === 'notThere')) return attempted;
      if (dryRun || !isWrite(outcome)) return outcome;
      const item = changed(change, stored);
      const revision = randomBytes(REVISION_BYTES).toString('hex');
      if (await records.replaceUnchanged(registration, item && { ...item, revision }, stored)) return outcome;
      attempted = outcome;
      // At the deadline it throws, which ends the loop.
      if (tries > 0) await deadline.pause(backoffMs(tries));
      stored = (await records.find([registration])).get(registration);
    }
  };

  /** Brings over from an export when an erasure was undone. @returns what is stored then */
  const copyUndone = async (change: PartChange, stored: StoredRecord | undefined) => {
    if (change.kind === 'remove' || change.erasureUndone === undefined) return stored;
    const { registration, erasureUndone } = change;
    const outcome = await changeErasure(
      { kind: 'copyErasure', registration, state: { erasureUndone } },
      dryRun,
      context,
    );
    if (dryRun) return outcome === 'undone' && stored?.isErased ? undefined : stored;
    return (await records.find([registration])).get(registration);
  };

  /** Undefined when the record differs from what the scan has found, so that all of it must be read. */
  const outcomeByScan = (change: RecordChange): RecordOutcome | undefined => {
    if (findInScan === undefined || !isPartChange(change)) return undefined;
    const found = findInScan(change.registration);
    if (found === 'erased') return found;
    const outcome = compare(change, found, ifNewer);
    return isWrite(outcome) ? undefined : outcome;
  };

  /** What is stored for a batch of changes. What a scan has decided, and an erasure, is not read. */
  const read = async <Change extends RecordChange>(batch: readonly Change[]) => {
    const decided = new Map(batch.map((change) => [change, outcomeByScan(change)]));
    const undecided = batch.filter((change) => isPartChange(change) && decided.get(change) === undefined);
    const found = await records.find(undecided.map(({ registration }) => registration));
    return batch.map((change) => ({
      change,
      outcome: decided.get(change),
      stored: found.get(change.registration),
    }));
  };

  /** Writes changes until Ctrl-C, and calls `settle` with each outcome. Nothing is in flight when it ends. */
  return <Change extends RecordChange>(
    changes: AsyncIterable<Change> | Iterable<Change>,
    settle: (change: Change, result: RecordOutcome | WriteRefusal) => void,
  ): Promise<void> =>
    runConcurrently(
      readAhead(changes, (batch) => read(batch)),
      WRITES_IN_FLIGHT,
      () => context.signal.aborted,
      async ({ change, outcome, stored }) => {
        const make = async () => {
          if (!isPartChange(change)) return changeErasure(change, dryRun, context);
          return apply(change, await copyUndone(change, stored));
        };
        settle(change, outcome ?? (await make()));
      },
    );
};
