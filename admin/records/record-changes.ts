import type { DynamoItem } from '../../core/aws/database.ts';
import { londonDate } from '../../core/runtime/clock.ts';
import { backoffMs, deadlineIn } from '../../core/runtime/deadline.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import type { ChangeLine } from './change-line.ts';
import {
  type ChangeDecision,
  changeDecisions,
  type DecisionOptions,
  isPartChange,
  type PartChange,
  type RecordChange,
} from './decide-change.ts';
import { changeErasure } from './erasures.ts';
import type { Parts, RecordTarget } from './record-target.ts';
import { STALL_TIMEOUT_MS } from './retry-transient.ts';
import { inBatches, runConcurrently } from './run-concurrently.ts';
import { newRevision, type StoredRecord, storedRecords } from './stored-records.ts';

/** DynamoDB's limit for one BatchGetItem. */
const BATCH = 100;
/** Concurrent writes: enough to hide network latency, few enough to avoid immediate throttling. */
const WRITES_IN_FLIGHT = 32;
/** While one batch is read, others are written. */
const BATCHES_IN_FLIGHT = 4;

interface ChangeOptions extends DecisionOptions {
  /** Keeps the lines of a batch before any of its writes is sent. */
  readonly keepLines?: ((lines: readonly ChangeLine[]) => Promise<void>) | undefined;
}

/**
 * Writes the records that differ from what is stored. A write fails when the stored record has changed since it was
 * read, and the record is then compared again. The parts of other suppliers stay, and so does an erasure.
 * @param records are those that a scan reads too, so that both share the read units
 */
export const recordChanges = (
  target: RecordTarget,
  { keepLines = async () => undefined, ...options }: ChangeOptions,
  context: CommandContext,
  records = storedRecords(target, context),
) => {
  const { dryRun } = options;
  const plan = changeDecisions(target, options, londonDate(context.now()));

  /** The item to store; undefined when the record has no part any more, and was never erased. */
  const itemOf = (registration: string, parts: Parts, stored: StoredRecord | undefined): DynamoItem | undefined => {
    const { erasureUndone } = stored ?? {};
    if (parts.size === 0 && erasureUndone === undefined) return undefined;
    const record = parts.size === 0 ? {} : target.join(parts);
    return { registration, ...record, ...(erasureUndone !== undefined && { erasureUndone }) };
  };

  /** Reads what is stored, decides, and writes it if it is unchanged, otherwise again. `found` is the first reading. */
  const apply = async (
    change: PartChange,
    found: StoredRecord | undefined,
    planned?: ChangeDecision,
  ): Promise<ChangeDecision> => {
    const { registration } = change;
    const deadline = deadlineIn(STALL_TIMEOUT_MS);
    let attempted: ChangeDecision | undefined;
    let revision: string | undefined;
    let decision = planned;
    let stored = found;
    for (let tries = 0; ; tries += 1) {
      if (decision === undefined) {
        decision = plan(change, stored);
        if (decision.line) await keepLines([decision.line]);
      }
      const { outcome, after } = decision;
      // The earlier attempt was applied and its response was lost, or somebody else has made the same change.
      const isDone = outcome === 'unchanged' || outcome === 'notThere' || outcome === attempted?.outcome;
      const isApplied = stored?.revision === revision || (after === undefined && isDone);
      if (attempted !== undefined && isApplied) return attempted;
      if (dryRun || after === undefined) return decision;
      const item = itemOf(registration, after, stored);
      revision = newRevision();
      if (await records.replaceUnchanged(registration, item && { ...item, revision }, stored)) return decision;
      attempted = decision;
      decision = undefined;
      // At the deadline it throws, which ends the loop.
      if (tries > 0) await deadline.pause(backoffMs(tries));
      stored = (await records.find([registration])).get(registration);
    }
  };

  /** Brings over from an export when an erasure was undone. @returns what is stored then */
  const copyUndone = async (change: PartChange, stored: StoredRecord | undefined) => {
    if (change.kind !== 'put' || change.erasureUndone === undefined) return stored;
    const { registration, erasureUndone } = change;
    const outcome = await changeErasure(
      { kind: 'copyErasure', registration, state: { erasureUndone } },
      dryRun,
      context,
    );
    if (dryRun) return outcome === 'undone' && stored?.isErased ? undefined : stored;
    return (await records.find([registration])).get(registration);
  };

  /** What is stored for a batch of changes, and decided. */
  const read = async <Change extends RecordChange>(batch: readonly Change[]) => {
    const found = await records.find(batch.filter(isPartChange).map(({ registration }) => registration));
    const planned = batch.map((change) => {
      const stored = found.get(change.registration);
      // What is stored changes first when an undone erasure is brought over.
      const isReadAgain = !isPartChange(change) || (change.kind === 'put' && change.erasureUndone !== undefined);
      return { change, stored, decision: isReadAgain ? undefined : plan(change, stored) };
    });
    await keepLines(planned.flatMap(({ decision }) => decision?.line ?? []));
    return planned;
  };

  /** Writes changes until Ctrl-C, and calls `settle` with each outcome. Nothing is in flight when it ends. */
  return <Change extends RecordChange>(
    changes: AsyncIterable<Change> | Iterable<Change>,
    settle: (change: Change, result: ChangeDecision['outcome'], line: ChangeLine | undefined) => void,
  ): Promise<void> =>
    runConcurrently(
      inBatches(changes, BATCH),
      BATCHES_IN_FLIGHT,
      () => context.signal.aborted,
      async (batch, isStopped) => {
        const planned = await read(batch);
        await runConcurrently(planned, WRITES_IN_FLIGHT / BATCHES_IN_FLIGHT, isStopped, async (one) => {
          const { change, stored, decision } = one;
          const make = async (): Promise<ChangeDecision> => {
            if (!isPartChange(change)) return { outcome: await changeErasure(change, dryRun, context) };
            return apply(change, await copyUndone(change, stored), decision);
          };
          const { outcome, line } = await make();
          settle(change, outcome, line);
        });
      },
    );
};
