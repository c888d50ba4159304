/** Single faults: retries must hide them. */
import type { TestApi } from '../../support/api.ts';
import { onNthCall } from '../../support/fault-choosers.ts';
import type { Attempt } from './cell.ts';
import type { Kind } from './fault-kinds.ts';
import { applies } from './injection-points.ts';
import { judgedAttempts } from './judged-attempts.ts';
import type { Plan } from './plans.ts';
import { ownerOf, prepareRound, type Round, roundsOf } from './rounds.ts';

/** A round, and which of the database requests at each of its points fails. */
export interface TransientFailure {
  readonly round: Round;
  readonly nth: number;
}

/** On the first request at each point, or on each in turn with one scenario at a time. */
export const transientFailures = (plans: readonly Plan[], { fault }: Kind, isLong: boolean): TransientFailure[] => {
  const targets = plans.flatMap(({ scenario, points }) =>
    points
      .filter((point) => applies(fault, point))
      .map((point) => ({
        scenario,
        point,
        expected: (status: number) => ({ status, knowsCaller: true }),
      })),
  );
  return roundsOf(targets, isLong).flatMap((round) => {
    const calls = isLong ? Math.max(...round.map(({ point }) => point.calls)) : 1;
    return Array.from({ length: calls }, (_, index) => ({ round, nth: index + 1 }));
  });
};

/** Asks while a single database request of each scenario fails. */
export const runTransientFailure = async (
  api: TestApi,
  kind: Kind,
  { round, nth }: TransientFailure,
): Promise<Attempt[]> => {
  const injected = await prepareRound(api, round);
  const once = new Map(injected.map((target) => [target, onNthCall(nth, kind.fault)]));
  api.faults.reset();
  api.faults.inject((call) => {
    const owner = ownerOf(injected, call);
    return owner?.point.includes(call) ? once.get(owner)?.(call) : undefined;
  });
  const attempts = await judgedAttempts(api, injected);
  return attempts;
};
