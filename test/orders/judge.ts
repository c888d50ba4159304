/** Judges the states of a search. */
import { isInDoubt, type Outcome } from './caller.ts';
import { namesIn } from './content-readers.ts';
import { checkAlone, repair } from './content-repairs.ts';
import type { StoredState } from './engine.ts';
import { mergesOf, oneByOne, subsetsOf, type Turn } from './one-by-one.ts';
import type { Operation, Pair } from './operation.ts';
import { alone, type Progress } from './run-side.ts';
import type { Node } from './steps.ts';
import { storedIn } from './stored-content.ts';

const memoised = <Key, Result>(textOf: (key: Key) => string, make: (key: Key) => Promise<Result>) => {
  const known = new Map<string, Promise<Result>>();
  return (key: Key): Promise<Result> => {
    const text = textOf(key);
    const result = known.get(text) ?? make(key);
    known.set(text, result);
    return result;
  };
};

const byTurn = (a: Turn, b: Turn): number => a.turn - b.turn;

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const isChange = ({ reading, repaired }: Operation): boolean => reading === undefined && repaired === undefined;

/** What holds in every state that the two sides of a pair can leave. */
export const judgeOf = (pair: Pair) => {
  const { sides, initial } = pair;
  const runOnce = memoised(
    (order: readonly Turn[]) => JSON.stringify(order),
    (order) => oneByOne(pair, order),
  );

  /** Results and facts are those of one order. A request that has not ended, or says to try again, is in it or not. */
  const fitsOneOrder = async ({ progress, stored }: Node): Promise<boolean> => {
    const begun = progress.flatMap(({ outcomes }, side): (Turn & { outcome: Outcome | undefined })[] => {
      const requests = isChange(sides[side] as Operation) ? (sides[side]?.requests ?? []) : [];
      return requests.slice(0, outcomes.length + 1).map((_, turn) => ({ side, turn, outcome: outcomes[turn] }));
    });
    const certain = begun.filter(({ outcome }) => outcome !== undefined && !isInDoubt(outcome));
    for (const also of subsetsOf(begun.filter((one) => !certain.includes(one)))) {
      const turnsOf = (wanted: number): Turn[] =>
        [...certain, ...also].filter(({ side }) => side === wanted).map(({ side, turn }) => ({ side, turn }));
      for (const order of mergesOf(turnsOf(0).sort(byTurn), turnsOf(1).sort(byTurn))) {
        const { outcomes, facts } = await runOnce(order);
        const isSame = ({ side, turn, outcome }: (typeof begun)[number]) => isEqual(outcomes[side]?.[turn], outcome);
        if (facts === storedIn(stored).facts && certain.every(isSame)) return true;
      }
    }
    return false;
  };
  const fits = memoised(
    ({ progress, stored }: Node) => JSON.stringify([storedIn(stored).facts, progress.map(({ outcomes }) => outcomes)]),
    fitsOneOrder,
  );

  /** What both sides leave is consistent, or the check names it and its repair mends it. */
  const afterCrash = memoised(
    (stored: StoredState) => String(stored.id),
    async (stored) => {
      const { inconsistencies } = storedIn(stored);
      const report = await checkAlone(stored);
      const { found, busy } = namesIn(report);
      const findings = busy.map((name) => `nobody changes it, and the check calls it busy: ${name}`);
      if (found.join() !== inconsistencies.join())
        findings.push(`the check finds [${found}] instead of [${inconsistencies}]`);
      if (inconsistencies.length === 0) return findings;
      const repaired = await alone('9', repair('', report.inconsistencies).requests, stored);
      const left = storedIn(repaired.stored).inconsistencies;
      return left.length > 0 ? [...findings, `the repair leaves [${left}]`] : findings;
    },
  );

  const ofReading = ({ progress, gathered }: Node): string[] =>
    sides.flatMap(({ name, reading, repaired }, side) => {
      const { hasEnded, outcomes } = progress[side] as Progress;
      if ((!reading && !repaired) || !hasEnded) return [];
      return outcomes.flatMap((outcome) => {
        if ('error' in outcome) return isInDoubt(outcome) ? [] : [`${name} fails: ${outcome.error}`];
        return [...(reading?.judge(outcome.value, gathered[side]) ?? [])];
      });
    });

  /** What may be inconsistent in a state: nothing new when all repairs have ended, and nothing that one of them has repaired. */
  const unexpected = ({ progress, stored }: Node): readonly string[] => {
    const { inconsistencies } = storedIn(stored);
    if (sides.some(({ repaired }, side) => repaired && !progress[side]?.hasEnded)) return [];
    const gone = sides.flatMap(({ repaired = [] }, side) => {
      const isDone = progress[side]?.outcomes.map((outcome) => 'value' in outcome && outcome.value === true) ?? [];
      return repaired.filter((_, nth) => isDone[nth]);
    });
    const before = storedIn(initial).inconsistencies;
    return inconsistencies.filter((name) => !before.includes(name) || gone.includes(name));
  };

  return async (node: Node): Promise<readonly string[]> => {
    const left = unexpected(node);
    const outcomes = JSON.stringify(node.progress.map((side) => side.outcomes));
    return [
      ...(left.length > 0 ? [`stored is inconsistent: ${left}`] : []),
      ...((await fits(node)) ? [] : [`no order of the requests has these outcomes: ${outcomes}`]),
      ...ofReading(node),
      ...(await afterCrash(node.stored)),
    ];
  };
};
