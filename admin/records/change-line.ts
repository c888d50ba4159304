/** The lines of a changes file, and where they go. */
import type { RecordOf } from '../../core/schemas/record-schema.ts';
import { flatPart, type Part, type PartSummary, type Parts, partOf, summaryIn, summaryOf } from './record-target.ts';

/** The first line of a changes file. */
export const Load = {
  type: 'object',
  required: ['load', 'stack', 'table', 'kind', 'began', 'dryRun'],
  properties: {
    /** The id of the load. */
    load: { type: 'string' },
    stack: { type: 'string' },
    table: { type: 'string' },
    kind: { type: 'string' },
    /** Absent for records that were loaded or removed whole, with the parts of all suppliers. */
    supplier: { type: 'string' },
    /** ISO 8601 UTC. */
    began: { type: 'string' },
    dryRun: { type: 'boolean' },
  },
} as const;

export type Load = RecordOf<typeof Load>;

/** Where the lines of a load go. A text that `write` was given is safe when the promise is fulfilled. */
export interface ChangesOutput {
  /** Names it for the operator. */
  readonly name: string;
  readonly write: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Of a load by the intake, which chooses the id and puts objects in place of a file. */
export interface LoadPlace {
  readonly id: string;
  readonly openChanges: (load: Load) => Promise<ChangesOutput>;
}

/** What a load changes of a record: a line of its changes file. A dry run's lines have neither parts nor summaries. */
export interface ChangeLine {
  readonly registration: string;
  readonly change: 'created' | 'replaced' | 'removed';
  /** The changed parts as they were stored, by name; absent for a creation, and where the record was damaged. */
  readonly before?: Readonly<Record<string, object>>;
  /** The changed parts as they are written, by name; absent for a removal. */
  readonly written?: Readonly<Record<string, PartSummary>>;
  /** Whether the vehicle was and is insured, by any supplier, on the day of the load; absent for compliance. */
  readonly insuredBefore?: boolean;
  readonly insuredAfter?: boolean;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether a line is as a load wrote it, or somebody has changed it. */
export const isChangeLine = (value: unknown): value is ChangeLine => {
  const { registration, change, before = {}, written = {} } = Object(value);
  return (
    typeof registration === 'string' &&
    ['created', 'replaced', 'removed'].includes(change) &&
    [before, written].every((parts) => isObject(parts) && Object.values(parts).every(isObject))
  );
};

export const becameInsured = ({ insuredBefore, insuredAfter }: ChangeLine) => !insuredBefore && insuredAfter === true;
export const isNoLongerInsured = ({ insuredBefore, insuredAfter }: ChangeLine) =>
  insuredBefore === true && !insuredAfter;

const isSame = (one: PartSummary | undefined, other: PartSummary | undefined): boolean =>
  one?.digest === other?.digest && one?.lastUpdated === other?.lastUpdated;

/** The parts that were stored before. */
export const partsBefore = ({ before = {} }: Pick<ChangeLine, 'before'>): Parts =>
  new Map(Object.entries(before).map(([name, flat]) => [name, partOf(flat)]));

const isEmpty = (record: object): boolean => Object.keys(record).length === 0;

/** The changed parts of a record, without those that stay. */
export const changedParts = (before: Parts, after: Parts): Pick<ChangeLine, 'change' | 'before' | 'written'> => {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const changed = names.filter((name) => !isSame(summaryIn(before, name), summaryIn(after, name)));
  const pick = <Value>(parts: Parts, toValue: (part: Part) => Value): Record<string, Value> =>
    Object.fromEntries(
      changed.flatMap((name) => {
        const part = parts.get(name);
        return part ? [[name, toValue(part)]] : [];
      }),
    );
  const [old, written] = [pick(before, flatPart), pick(after, summaryOf)];
  return {
    change: isEmpty(old) ? 'created' : isEmpty(written) ? 'removed' : 'replaced',
    ...(!isEmpty(old) && { before: old }),
    ...(!isEmpty(written) && { written }),
  };
};

/**
 * A record has a line for each attempt to write it. Of each part the last line that has it counts: a line lacks the
 * parts that were stored already, perhaps by an attempt whose response was lost.
 */
export const joinAttempts = (lines: readonly ChangeLine[]): ChangeLine =>
  lines.reduce((earlier, line) => {
    const names = new Set(Object.keys({ ...line.before, ...line.written }));
    const others = <Value>(parts: Readonly<Record<string, Value>> = {}): Record<string, Value> =>
      Object.fromEntries(Object.entries(parts).filter(([name]) => !names.has(name)));
    return {
      ...line,
      before: { ...others(earlier.before), ...line.before },
      written: { ...others(earlier.written), ...line.written },
    };
  });

/**
 * Puts each part back by itself: one that somebody has changed since stays, and the outcome says so. It is `unchanged`
 * when all was put back before, or was never written.
 * @returns the parts to store; none when nothing changes
 */
export const undoLine = ({ before = {}, written = {} }: ChangeLine, stored: Parts) => {
  const names = new Set([...Object.keys(before), ...Object.keys(written)]);
  const parts = new Map(stored);
  // The record was damaged, so nothing of it can be put back.
  let isChanged = names.size === 0;
  let isPutBack = false;
  for (const name of names) {
    const now = summaryIn(stored, name);
    const old = before[name] && partOf(before[name]);
    if (isSame(now, old && summaryOf(old))) continue;
    if (!isSame(now, written[name])) {
      isChanged = true;
      continue;
    }
    isPutBack = true;
    if (old) parts.set(name, old);
    else parts.delete(name);
  }
  const outcome = isChanged ? 'changedSince' : isPutBack ? 'putBack' : 'unchanged';
  return { outcome, parts: isPutBack ? parts : undefined } as const;
};
