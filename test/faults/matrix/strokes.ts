/** Single faults: retries must hide them. */
import type { TestApi } from '../../support/api.ts';
import { onNthCall } from '../../support/fault-choosers.ts';
import type { Attempt } from './cell.ts';
import { judgedAttempts } from './judged-attempts.ts';
import type { Kind } from './kinds.ts';
import { strikes } from './places.ts';
import type { Plan } from './plan.ts';
import { ownerOf, prepareRound, type Round, roundsOf } from './rounds.ts';

/** A round, and which of the database requests at each of its places fails. */
export interface Stroke {
  readonly round: Round;
  readonly nth: number;
}

/** On the first request at each place, or on each in turn with one scenario at a time. */
export const strokesOf = (plans: readonly Plan[], { fault }: Kind, isLong: boolean): Stroke[] => {
  const targets = plans.flatMap(({ scenario, places }) =>
    places
      .filter((place) => strikes(fault, place))
      .map((place) => ({
        scenario,
        place,
        promised: (status: number) => ({ status, knowsCaller: true }),
      })),
  );
  return roundsOf(targets, isLong).flatMap((round) => {
    const calls = isLong ? Math.max(...round.map(({ place }) => place.calls)) : 1;
    return Array.from({ length: calls }, (_, index) => ({ round, nth: index + 1 }));
  });
};

/** Asks while a single database request of each scenario fails. */
export const runStroke = async (api: TestApi, kind: Kind, { round, nth }: Stroke): Promise<Attempt[]> => {
  const struck = await prepareRound(api, round);
  const once = new Map(struck.map((target) => [target, onNthCall(nth, kind.fault)]));
  api.faults.reset();
  api.faults.inject((call) => {
    const owner = ownerOf(struck, call);
    return owner?.place.includes(call) ? once.get(owner)?.(call) : undefined;
  });
  const attempts = await judgedAttempts(api, struck);
  return attempts;
};
