/** Faults that go on: the service says so in time, and recovers once they end. */
import { performance } from 'node:perf_hooks';
import type { TestApi } from '../../support/api.ts';
import { type Attempt, recover, requireSound } from './cell.ts';
import { judgedAttempts } from './judged-attempts.ts';
import type { Kind } from './kinds.ts';
import { everywhere, fullBatches, strikes } from './places.ts';
import type { Plan } from './plan.ts';
import { promisedWhileLasting, promisedWithoutOneBatch } from './promised.ts';
import { ownerOf, prepareRound, type Round, roundsOf, type Target } from './rounds.ts';

const bulkBatchTarget = ({ scenario, places }: Plan, kind: Kind): Target[] => {
  const batches = places.find(({ isBatch }) => isBatch);
  if (scenario.endpoint !== 'bulk-insurance' || batches === undefined || !strikes(kind.fault, batches)) return [];
  return [{ scenario, place: fullBatches(batches), promised: (healthy) => promisedWithoutOneBatch(kind, healthy) }];
};

/** Everywhere, at each place, and in one batch of several. */
export const siegesOf = (plans: readonly Plan[], kind: Kind, isLong: boolean): Round[] => {
  const targetsOf = (plan: Plan, places: Plan['places']): Target[] =>
    places
      .filter((place) => strikes(kind.fault, place))
      .map((place) => ({
        scenario: plan.scenario,
        place,
        promised: (healthy) => promisedWhileLasting(kind, place, healthy),
      }));
  return [
    ...roundsOf(
      plans.flatMap((plan) => targetsOf(plan, [everywhere(plan.places)])),
      isLong,
    ),
    ...roundsOf(
      plans.flatMap((plan) => [...targetsOf(plan, plan.places), ...bulkBatchTarget(plan, kind)]),
      isLong,
    ),
  ];
};

/** Asks under a fault that lasts, then again once it has ended. */
export const runSiege = async (api: TestApi, kind: Kind, round: Round): Promise<Attempt[]> => {
  const struck = await prepareRound(api, round);
  api.faults.reset();
  api.faults.inject((call) => (ownerOf(struck, call)?.place.includes(call) ? kind.fault : undefined));
  const attempts = await judgedAttempts(api, struck);
  api.faults.inject(() => undefined);
  const endedAt = performance.now();
  await Promise.all(attempts.map((made) => recover(made, endedAt)));
  await requireSound(api, attempts);
  return attempts;
};
