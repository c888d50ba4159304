/** What a change makes of a record as it is stored. */
import type { LondonDate } from '../../core/runtime/clock.ts';
import { type ChangeLine, changedParts, undoLine } from './change-line.ts';
import type { ErasureChange } from './erasures.ts';
import {
  computeDigest,
  type GivenPart,
  type GivenParts,
  isRemovable,
  type Part,
  type PartSummary,
  type Parts,
  type RecordTarget,
  summaryIn,
  summaryOf,
} from './record-target.ts';
import type { StoredRecord } from './stored-records.ts';

/**
 * The outcomes of a valid record. `kept` means that the stored record is as new or newer, `notThere` that none is
 * stored, `erased` that the vehicle is erased, now or before, and `undone` that its erasure was taken back. A load that
 * is undone has `putBack`, and `changedSince` where a part is not as the load wrote it.
 */
export const RECORD_OUTCOMES = [
  'loaded',
  'unchanged',
  'kept',
  'removed',
  'notThere',
  'erased',
  'undone',
  'putBack',
  'changedSince',
] as const;

export type RecordOutcome = (typeof RECORD_OUTCOMES)[number];

/** Puts parts of a record, removes those that are the target's own, or undoes what a load has changed. */
export type PartChange =
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
      /** Whether the record, as it is stored when it is written, is to go. */
      readonly isTaken?: (parts: Parts) => boolean;
    }
  | {
      readonly kind: 'undo';
      readonly registration: string;
      readonly line: ChangeLine;
      /** When the load began. Nothing comes back where an erasure was undone later. */
      readonly began: string;
    };

/** The change that a file makes to the record of a registration. */
export type RecordChange = PartChange | ErasureChange;

export const isPartChange = (change: RecordChange): change is PartChange =>
  ['put', 'remove', 'undo'].includes(change.kind);

/** The outcome for a record as it is stored, and what would be written. */
export interface ChangeDecision {
  readonly outcome: RecordOutcome | { readonly reason: string };
  /** The parts to store; absent where nothing is written. */
  readonly after?: Parts;
  readonly line?: ChangeLine;
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
export const compareParts = (parts: GivenParts, find: (name: string) => PartSummary | undefined, ifNewer: boolean) => {
  const outcomes = Array.from(parts, ([name, part]) => comparePart(part, find(name), ifNewer));
  return (['loaded', 'kept'] as const).find((one) => outcomes.includes(one)) ?? 'unchanged';
};

export interface DecisionOptions {
  readonly dryRun: boolean;
  readonly ifNewer?: boolean;
  readonly fileTime?: string;
}

export const changeDecisions = (
  target: RecordTarget,
  { dryRun, ifNewer = false, fileTime }: DecisionOptions,
  today: LondonDate,
) => {
  /** The parts after a change. With `ifNewer` each newer part stays, and what a restored record lacks. */
  const partsAfter = (change: Exclude<PartChange, { kind: 'undo' }>, stored: Parts): Parts => {
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

  const decide = (change: PartChange, stored: StoredRecord | undefined): ChangeDecision => {
    if (stored?.isErased) return { outcome: 'erased' };
    const parts = stored === undefined ? new Map<string, Part>() : stored.parts;
    if (change.kind === 'undo') {
      if ((stored?.erasureUndone ?? '') > change.began) return { outcome: 'erased' };
      if (parts === undefined) return { outcome: 'changedSince' };
      const { outcome, parts: after } = undoLine(change.line, parts);
      // What is put back where nothing is stored may be as large as it was.
      const reason = after && parts.size > 0 ? target.findConflict?.(after, new Map()) : undefined;
      if (reason !== undefined) return { outcome: { reason } };
      return after === undefined ? { outcome } : { outcome, after };
    }
    if (parts === undefined) {
      const isRemoval = change.kind === 'remove';
      if (target.isWhole && isRemoval) return { outcome: 'removed', after: new Map() };
      const advice = isRemoval ? `"remove ${target.table}" removes it whole` : 'remove it, then import this row';
      return { outcome: { reason: `the stored record of this vehicle is damaged; ${advice}` } };
    }
    const own = [...parts].filter(([name, part]) => isRemovable(target, name, part));
    if (change.kind === 'remove') {
      const isKept = ({ lastUpdated }: Part) => ifNewer && !isNewer(change.lastUpdated, lastUpdated);
      if (own.length === 0) return { outcome: 'notThere' };
      if (change.isTaken?.(parts) === false || own.some(([, part]) => isKept(part))) return { outcome: 'kept' };
      return { outcome: 'removed', after: partsAfter(change, parts) };
    }
    const isLacked = !ifNewer && own.some(([name]) => !change.parts.has(name));
    const outcome = isLacked ? 'loaded' : compareParts(change.parts, (name) => summaryIn(parts, name), ifNewer);
    if (outcome !== 'loaded') return { outcome };
    const after = partsAfter(change, parts);
    const loaded = [...change.parts].filter(([name, { body }]) => after.get(name)?.body === body);
    const kept = [...parts].filter(([name]) => after.has(name));
    const reason = target.findConflict?.(new Map(loaded), new Map(kept));
    return reason === undefined ? { outcome, after } : { outcome: { reason } };
  };

  /** Decides, with the line that says what is written. */
  const plan = (change: PartChange, stored: StoredRecord | undefined): ChangeDecision => {
    const decision = decide(change, stored);
    const { after } = decision;
    if (after === undefined) return decision;
    const before = stored?.parts ?? new Map();
    const { change: kind, ...parts } = changedParts(before, after);
    const { isInsured } = target;
    const line = {
      registration: change.registration,
      change: after.size === 0 ? 'removed' : kind,
      ...(!dryRun && parts),
      ...(isInsured && { insuredBefore: isInsured(before, today), insuredAfter: isInsured(after, today) }),
    };
    return { ...decision, line };
  };

  return plan;
};
