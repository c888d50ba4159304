/** What the requests of both sides come to when they are sent one after the other. */
import type { Requests } from './caller.ts';
import { afterWrites, perform } from './engine.ts';
import type { Pair } from './operation.ts';
import { type Progress, type Side, sideOf } from './run-side.ts';
import { SIDES } from './steps.ts';
import { storedIn } from './stored-content.ts';

/** Every order of `left` and `right`, each in its own order. */
export const mergesOf = <T>(left: readonly T[], right: readonly T[]): T[][] => {
  const [[one, ...ones], [other, ...others]] = [left, right];
  if (one === undefined || other === undefined) return [[...left, ...right]];
  return [
    ...mergesOf(ones, right).map((rest) => [one, ...rest]),
    ...mergesOf(left, others).map((rest) => [other, ...rest]),
  ];
};

/** With each value or without it. */
export const subsetsOf = <T>([one, ...others]: readonly T[]): T[][] =>
  one === undefined ? [[]] : subsetsOf(others).flatMap((subset) => [subset, [one, ...subset]]);

/** A request of a side. */
export interface Turn {
  readonly side: number;
  readonly turn: number;
}

const nothing = async () => null;

/** The results of running requests of both sides one after the other, and the facts that are stored then. */
export const oneByOne = async ({ sides, initial }: Pair, order: readonly Turn[]) => {
  const done = (side: number, turn: number) => order.some((one) => one.side === side && one.turn === turn);
  const requestsOf = (side: number): Requests =>
    (sides[side]?.requests ?? []).map((request, turn) => (done(side, turn) ? request : nothing));
  const runners = await Array.fromAsync(SIDES, (name, side) => sideOf(name, requestsOf(side)));
  const progress = runners.map(({ beginning }) => beginning);
  let stored = initial;
  for (const { side, turn } of order) {
    for (;;) {
      const at = progress[side] as Progress;
      const [call] = at.calls;
      if (at.outcomes.length > turn || call === undefined) break;
      const { response, writes } = await perform(stored, call);
      stored = afterWrites(stored, writes);
      progress[side] = await (runners[side] as Side).after(at, call.name, response);
    }
  }
  for (const { end } of runners) await end();
  return { outcomes: progress.map((at) => at.outcomes), facts: storedIn(stored).facts };
};
