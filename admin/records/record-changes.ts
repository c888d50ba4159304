import { randomBytes } from 'node:crypto';
import type { DynamoItem } from '../../core/dynamodb/database.ts';
import { backoffMs, deadlineIn } from '../../core/runtime/deadline.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { changeErasure, type ErasureChange } from './erasures.ts';
import {
  computeDigest,
  type GivenPart,
  type GivenParts,
  isRemovable,
  type Part,
  type PartSummary,
  type Parts,
  type RecordTarget,
  summaryOf,
} from './record-target.ts';
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

/** Puts parts of a record, or removes those that are the target's own. */
type PartChange =
  | {
      readonly kind: 'put';
      readonly registration: string;
      readonly parts: GivenParts;
      /** When an erasure of the vehicle was undone, as a line of an export says. */
      readonly erasureUndone?: string | undefined;
    }
  | {
      readonly kind: 'remove';
      readonly registration: string;
      /** When the source removed it, for `ifNewer`. */
      readonly lastUpdated?: string | undefined;
    };

/** The change that a file makes to the record of a registration. */
export type RecordChange = PartChange | ErasureChange;

const isPartChange = (change: RecordChange): change is PartChange => change.kind === 'put' || change.kind === 'remove';

export interface ChangeOptions {
  readonly dryRun: boolean;
  readonly ifNewer?: boolean;
  readonly fileTime?: string;
  /** What a scan has found for a registration: its parts by name, or that the vehicle is erased. */
  readonly findInScan?: ((registration: string) => ReadonlyMap<string, PartSummary> | 'erased') | undefined;
}

/** An unknown age counts as the oldest. All times are written in one form, so they compare as texts. */
const isNewer = (given: string | null | undefined, stored: string | undefined): boolean =>
  Boolean(given) && (stored === undefined || stored < String(given));

const comparePart = ({ body, lastUpdated }: GivenPart, stored: PartSummary | undefined, ifNewer: boolean) => {
  if (stored === undefined) return 'loaded';
  // A file that says nothing of the time has no other one, and an unknown time is stored as none.
  const isSameTime = lastUpdated === undefined || (lastUpdated ?? undefined) === stored.lastUpdated;
  if (isSameTime && stored.digest === computeDigest(body)) return 'unchanged';
  return !ifNewer || isNewer(lastUpdated, stored.lastUpdated) ? 'loaded' : 'kept';
};

/** The outcome for a record: `loaded` when one of its parts is. */
const compareParts = (parts: GivenParts, find: (name: string) => PartSummary | undefined, ifNewer: boolean) => {
  const outcomes = Array.from(parts, ([name, part]) => comparePart(part, find(name), ifNewer));
  return (['loaded', 'kept'] as const).find((one) => outcomes.includes(one)) ?? 'unchanged';
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
  const records = storedRecords(target, context);
  const summaryIn = (parts: Parts) => (name: string) => {
    const part = parts.get(name);
    return part && summaryOf(part);
  };

  /** The outcome for what is stored; `loaded` and `removed` need a write. */
  const decide = (change: PartChange, stored: StoredRecord | undefined): RecordOutcome | WriteRefusal => {
    if (stored?.isErased) return 'erased';
    const parts = stored === undefined ? new Map<string, Part>() : stored.parts;
    if (parts === undefined) {
      if (target.isWhole && change.kind === 'remove') return 'removed';
      return { reason: 'the stored record of this vehicle is damaged; remove it, then import this row' };
    }
    const own = [...parts].filter(([name, part]) => isRemovable(target, name, part));
    if (change.kind === 'remove') {
      const isKept = ({ lastUpdated }: Part) => ifNewer && !isNewer(change.lastUpdated, lastUpdated);
      if (own.length === 0) return 'notThere';
      return own.some(([, part]) => isKept(part)) ? 'kept' : 'removed';
    }
    const isLacked = !ifNewer && own.some(([name]) => !change.parts.has(name));
    const outcome = isLacked ? 'loaded' : compareParts(change.parts, summaryIn(parts), ifNewer);
    if (outcome !== 'loaded') return outcome;
    const reason = target.findConflict?.(change.parts, parts);
    return reason === undefined ? outcome : { reason };
  };

  /** The parts after a change. With `ifNewer` each newer part stays, and what a restored record lacks. */
  const partsAfter = (change: PartChange, stored: Parts): Parts => {
    const stays = change.kind === 'put' && ifNewer;
    const parts = new Map([...stored].filter(([name, part]) => stays || !isRemovable(target, name, part)));
    for (const [name, part] of change.kind === 'put' ? change.parts : []) {
      const before = stored.get(name);
      const { body, lastUpdated = fileTime } = part;
      const isLoaded = !before || comparePart(part, summaryOf(before), ifNewer) === 'loaded';
      parts.set(name, isLoaded ? { body, lastUpdated: lastUpdated ?? undefined } : before);
    }
    return parts;
  };

  /** The item to store; undefined when the record has no part any more, and was never erased. */
  const changed = (change: PartChange, stored: StoredRecord | undefined): DynamoItem | undefined => {
    const parts = partsAfter(change, stored?.parts ?? new Map());
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
    if (change.kind === 'remove') return undefined;
    const outcome = compareParts(change.parts, (name) => found.get(name), ifNewer);
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
