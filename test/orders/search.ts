/**
 * Searches every interleaving of the calls of two sides (docs/interleavings.md). What follows a state depends only on
 * what is stored and on the responses that each side has got: a state that several schedules reach is searched once.
 */
import { afterWrites, type StoredState, storedIn } from './engine.ts';
import { invariantsOf } from './invariants.ts';
import type { Pair } from './operation.ts';
import { advance, type Call, sideOf } from './run-side.ts';
import { isWrite, type Node, namesOf, stepsFrom } from './steps.ts';

interface Figures {
  readonly schedules: number;
  readonly states: number;
  /** States in which a side may have ended between two of its calls. */
  readonly crashes: number;
  /** The first violation of an invariant, which ends the search, and the schedule that leads to it. */
  readonly finding: { readonly what: string; readonly schedule: readonly string[] } | undefined;
}

/** The states that a reader may see: before and after each transaction that is stored by half. */
const readings = ({ stored, halves }: Node): readonly StoredState[] =>
  halves.reduce<readonly StoredState[]>(
    (states, { late, undo }) => states.flatMap((state) => [afterWrites(state, undo), afterWrites(state, late)]),
    [stored],
  );

const keyOf = ({ stored, progress, halves, observed }: Node): string =>
  JSON.stringify([
    stored.id,
    progress.map(({ id }) => id),
    halves.map(({ side, call, undo }) => [side, call.name, afterWrites(stored, undo).id]),
    observed,
  ]);

const hasBegun = ({ progress, halves }: Node, side: number): boolean =>
  (progress[side]?.responses.length ?? 0) > 0 || halves.some((half) => half.side === side);

const writesOf = (calls: readonly Call[]): string[] => calls.filter(isWrite).flatMap(namesOf);

export const search = async (pair: Pair): Promise<Figures> => {
  const runs = await Array.fromAsync(pair.sides, (side, nth) => sideOf('ab'.charAt(nth), side));
  const beginnings = runs.map(({ beginning }) => beginning);
  const violationsIn = invariantsOf(pair);
  let finding: Figures['finding'];
  const path: string[] = [];
  /** How many schedules go on from each state. */
  let schedules = new Map<string, number>();
  let crashes = 0;
  /** The entries that each side writes: at first those that it writes when nobody else does anything. */
  const written = await Array.fromAsync(
    beginnings,
    async (beginning) => new Set(writesOf((await advance(beginning, pair.initial)).calls)),
  );

  /** The state after a step, with what its readers may have seen. */
  const observe = (before: Node, after: Node): Node => ({
    ...after,
    observed: pair.sides.map(({ reading }, side) => {
      const observed = before.observed[side];
      if (!reading || !hasBegun(after, side) || before.progress[side]?.hasEnded) return observed;
      const states = hasBegun(before, side) ? readings(after) : [...readings(before), ...readings(after)];
      return states.reduce((all, stored) => reading.observe(all, storedIn(stored)), observed);
    }),
  });

  const checkInvariants = async (node: Node): Promise<void> => {
    if (node.halves.length > 0) return;
    if (node.progress.some(({ hasEnded }, side) => !hasEnded && hasBegun(node, side))) crashes += 1;
    const [what] = await violationsIn(node);
    if (what !== undefined) finding = { what, schedule: [...path] };
  };

  /** Returns the number of schedules from here on. */
  const explore = async (node: Node): Promise<number> => {
    const key = keyOf(node);
    const known = schedules.get(key);
    if (known !== undefined) return known;
    await checkInvariants(node);
    for (const [side, { calls }] of node.progress.entries()) {
      for (const entry of writesOf(calls)) written[side]?.add(entry);
    }
    let count = 0;
    for (const { name, take } of await stepsFrom(node, written)) {
      if (finding !== undefined) break;
      path.push(name);
      count += await explore(observe(node, await take()));
      path.pop();
    }
    schedules.set(key, Math.max(1, count));
    return Math.max(1, count);
  };

  // A read counts as the same at any time until a write to its entry is known. So each newly found write needs another
  // search.
  let total = 0;
  for (let before = -1, after = 0; before < after && finding === undefined; ) {
    before = after;
    [schedules, crashes] = [new Map(), 0];
    const start = { stored: pair.initial, progress: beginnings, halves: [], cancelled: [], observed: [null, null] };
    total = await explore(start);
    after = written.reduce((sum, { size }) => sum + size, 0);
  }
  for (const { end } of runs) await end();
  return { schedules: total, states: schedules.size, crashes, finding };
};
