import { memoised, storedIn } from './engine.ts';
import { isInDoubt, type Outcome, type Pair } from './operation.ts';
import { advance, type Progress, sideOf } from './run-side.ts';
import type { Node } from './steps.ts';

interface Turn {
  readonly side: number;
  readonly turn: number;
}

/** Every interleaving of `left` and `right`. */
const interleavingsOf = <T>(left: readonly T[], right: readonly T[]): T[][] => {
  const [[one, ...ones], [other, ...others]] = [left, right];
  if (one === undefined || other === undefined) return [[...left, ...right]];
  return [
    ...interleavingsOf(ones, right).map((rest) => [one, ...rest]),
    ...interleavingsOf(left, others).map((rest) => [other, ...rest]),
  ];
};

/** With each value or without it. */
const subsetsOf = <T>([one, ...others]: readonly T[]): T[][] =>
  one === undefined ? [[]] : subsetsOf(others).flatMap((subset) => [subset, [one, ...subset]]);

/** The outcomes of requests of both sides that are sent one after the other, and the facts that are stored then. */
const runSerially = async ({ sides, initial }: Pair, order: readonly Turn[]) => {
  const isSent = (side: number, turn: number) => order.some((one) => one.side === side && one.turn === turn);
  const runs = await Array.fromAsync(sides, ({ requests }, side) => {
    const sent = requests.map((request, turn) => (isSent(side, turn) ? request : async () => null));
    return sideOf('ab'.charAt(side), { requests: sent });
  });
  const progress = runs.map(({ beginning }) => beginning);
  let stored = initial;
  for (const { side, turn } of order)
    ({ progress: progress[side], stored } = await advance(progress[side] as Progress, stored, turn + 1));
  for (const { end } of runs) await end();
  return { outcomes: progress.map(({ outcomes }) => outcomes), facts: storedIn(stored).facts };
};

/** What must hold in every state that the two sides of a pair can leave. Returns what a state violates. */
export const invariantsOf = (pair: Pair) => {
  const { sides } = pair;
  const runOnce = memoised(JSON.stringify, (order: readonly Turn[]) => runSerially(pair, order));

  /** Outcomes and facts match a serial order. A request that has not ended, or says to try again, is in it or not. */
  const isLinearisable = async ({ progress, stored }: Node): Promise<boolean> => {
    const begun = sides.flatMap(({ requests, reading }, side): (Turn & { outcome: Outcome | undefined })[] => {
      const outcomes = progress[side]?.outcomes ?? [];
      const changes = reading ? [] : requests.slice(0, outcomes.length + 1);
      return changes.map((_, turn) => ({ side, turn, outcome: outcomes[turn] }));
    });
    const certain = begun.filter(({ outcome }) => outcome !== undefined && !isInDoubt(outcome));
    for (const also of subsetsOf(begun.filter((one) => !certain.includes(one)))) {
      const [left, right] = [0, 1].map((wanted) =>
        begun
          .filter((one) => one.side === wanted && (certain.includes(one) || also.includes(one)))
          .map(({ side, turn }) => ({ side, turn })),
      );
      for (const order of interleavingsOf(left ?? [], right ?? [])) {
        const { outcomes, facts } = await runOnce(order);
        const isSame = ({ side, turn, outcome }: (typeof begun)[number]) =>
          JSON.stringify(outcomes[side]?.[turn]) === JSON.stringify(outcome);
        if (facts === storedIn(stored).facts && certain.every(isSame)) return true;
      }
    }
    return false;
  };
  const fits = memoised(
    ({ progress, stored }: Node) => JSON.stringify([storedIn(stored).facts, progress.map(({ outcomes }) => outcomes)]),
    isLinearisable,
  );

  const ofReading = ({ progress, observed }: Node): string[] =>
    sides.flatMap(({ name, reading }, side) => {
      const { hasEnded, outcomes } = progress[side] as Progress;
      if (!reading || !hasEnded) return [];
      return outcomes.flatMap((outcome) => {
        if ('error' in outcome) return isInDoubt(outcome) ? [] : [`${name} fails: ${outcome.error}`];
        return [...reading.check(outcome.value, observed[side])];
      });
    });

  return async (node: Node): Promise<readonly string[]> => {
    const left = storedIn(node.stored).inconsistencies;
    const outcomes = JSON.stringify(node.progress.map((side) => side.outcomes));
    return [
      ...(left.length > 0 ? [`stored is inconsistent: ${left}`] : []),
      ...((await fits(node)) ? [] : [`no serial order of the requests has these outcomes: ${outcomes}`]),
      ...ofReading(node),
    ];
  };
};
