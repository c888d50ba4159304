import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { PLANS, type PlanName } from '../../../functions/access/plans.ts';
import { type Window, windowAt } from '../../../functions/access/window.ts';
import type { DatabaseCall, Fault } from '../../support/fault-proxy.ts';
import { type FourGateways, GATEWAYS } from './four-gateways.ts';
import { injectedFault } from './injected-faults.ts';

/** Sent at once in every window. */
export const REQUESTS = 500;

/** A window to crowd: fewer requests are left in it than will be sent. */
export interface Crowd {
  readonly plan: PlanName;
  /** Requests that were counted in it before. */
  readonly usedBefore: number;
  /** The moment at each gateway, in Unix milliseconds, all in one window. */
  readonly moments: readonly number[];
  readonly choose: (call: DatabaseCall) => Fault | undefined;
}

/** What came of it. */
export interface Tally {
  readonly plan: PlanName;
  /** Requests that the plan still allowed. */
  readonly left: number;
  readonly admitted: number;
  readonly statuses: Readonly<Record<number, number>>;
  /** What was injected into each faulted database request, by its name. */
  readonly faults: readonly string[];
  /** Requests to the table of counters; more than 500 when some were asked again. */
  readonly asked: number;
  /** Those that the engine was given, and by how much the counter rose. */
  readonly updates: number;
  readonly rose: number;
  /** Database requests without a fault on which the SDK gave up all the same. */
  readonly tooSlow: number;
  /** Updates whose answer never arrived in time, because of a fault or of a machine that is too slow. */
  readonly answersLost: number;
}

const countBefore = async ({ db, names }: FourGateways, keyId: string, window: Window, used: number): Promise<void> => {
  const Item = { keyId: { S: keyId }, windowStart: { N: String(window.start) }, used: { N: String(used) } };
  await db.send(new PutItemCommand({ TableName: names.usage, Item }));
};

const occurrences = (values: readonly number[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

/** Sends 500 requests at once with a key of its own, spread over the gateways, and counts. */
export const crowdWindow = async (api: FourGateways, { plan, usedBefore, moments, choose }: Crowd): Promise<Tally> => {
  const { key, keyId } = await api.newKey({ plan });
  const window = windowAt(new Date(moments[0] ?? 0));
  await countBefore(api, keyId, window, usedBefore);
  await api.setClocks(moments);
  api.faults.reset();
  api.faults.inject(choose);
  const answers = await Promise.all(Array.from({ length: REQUESTS }, (_, nth) => api.lookUp(nth % GATEWAYS, key)));
  const calls = api.faults.calls.map((call) => ({ ...call, injected: injectedFault(call.fault) }));
  const onCounter = calls.filter(({ tables }) => tables.includes(api.names.usage));
  const updates = onCounter.filter(({ injected }) => injected?.applied !== false);
  const statuses = occurrences(answers.map(({ status }) => status));
  return {
    plan,
    left: PLANS[plan].requestsPerWindow - usedBefore,
    admitted: statuses[200] ?? 0,
    statuses,
    faults: calls.flatMap(({ injected }) => injected?.name ?? []),
    asked: onCounter.length,
    updates: updates.length,
    rose: (await api.usage.count(keyId, window)) - usedBefore,
    tooSlow: calls.filter(({ isAbandoned }) => isAbandoned).length,
    answersLost: updates.filter(({ injected, isAbandoned }) => injected?.answered === false || isAbandoned).length,
  };
};
