/** Faults that go on: the service says so in time, and recovers once they end. */
import { performance } from 'node:perf_hooks';
import type { TestApi } from '../../support/api.ts';
import { type Attempt, recover, requireSound } from './cell.ts';
import { expectedWhileFailing, expectedWithoutOneBatch } from './expected.ts';
import type { Kind } from './fault-kinds.ts';
import { applies, everywhere, fullBatches } from './injection-points.ts';
import { judgedAttempts } from './judged-attempts.ts';
import type { Plan } from './plans.ts';
import { ownerOf, prepareRound, type Round, roundsOf, type Target } from './rounds.ts';

const bulkBatchTarget = ({ scenario, points }: Plan, kind: Kind): Target[] => {
  const batches = points.find(({ isBatch }) => isBatch);
  if (scenario.endpoint !== 'bulk-insurance' || batches === undefined || !applies(kind.fault, batches)) return [];
  return [{ scenario, point: fullBatches(batches), expected: (healthy) => expectedWithoutOneBatch(kind, healthy) }];
};

/** Everywhere, at each point, and in one batch of several. */
export const persistentFailures = (plans: readonly Plan[], kind: Kind, isLong: boolean): Round[] => {
  const targetsOf = (plan: Plan, points: Plan['points']): Target[] =>
    points
      .filter((point) => applies(kind.fault, point))
      .map((point) => ({
        scenario: plan.scenario,
        point,
        expected: (healthy) => expectedWhileFailing(kind, point, healthy),
      }));
  return [
    ...roundsOf(
      plans.flatMap((plan) => targetsOf(plan, [everywhere(plan.points)])),
      isLong,
    ),
    ...roundsOf(
      plans.flatMap((plan) => [...targetsOf(plan, plan.points), ...bulkBatchTarget(plan, kind)]),
      isLong,
    ),
  ];
};

/** Asks under a fault that lasts, then again once it has ended. */
export const runPersistentFailure = async (api: TestApi, kind: Kind, round: Round): Promise<Attempt[]> => {
  const injected = await prepareRound(api, round);
  api.faults.reset();
  api.faults.inject((call) => (ownerOf(injected, call)?.point.includes(call) ? kind.fault : undefined));
  const attempts = await judgedAttempts(api, injected);
  api.faults.inject(() => undefined);
  const endedAt = performance.now();
  await Promise.all(attempts.map((made) => recover(made, endedAt)));
  await requireSound(api, attempts);
  return attempts;
};
