import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { PLANS, type PlanName, type Window, windowAt } from '../../../functions/access/plans.ts';
import type { DatabaseCall, Fault } from '../../support/fault-proxy.ts';
import { type FourGateways, GATEWAYS } from './four-gateways.ts';
import { injectedFault } from './injected-faults.ts';

/** Sent at once in every window. */
export const REQUESTS = 500;

/** More requests at once than are left in a window. */
export interface Burst {
  readonly plan: PlanName;
  /** Requests that were counted in it before. */
  readonly usedBefore: number;
  /** The time at each gateway, in Unix milliseconds, all in one window. */
  readonly times: readonly number[];
  readonly choose: (call: DatabaseCall) => Fault | undefined;
}

export interface BurstResult {
  readonly plan: PlanName;
  /** Requests that the plan still allowed. */
  readonly left: number;
  readonly admitted: number;
  readonly statuses: Readonly<Record<number, number>>;
  /** The injected fault of each database request that had one, by name. */
  readonly faults: readonly string[];
  /** Requests to the table of counters; more than 500 when the SDK repeated some. */
  readonly asked: number;
  /** Those that the engine applied, and the counter's increment. */
  readonly updates: number;
  readonly increment: number;
  /** Updates whose response did not arrive in time, because of a fault or a slow machine. */
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

/** Sends 500 requests at once with a new key, spread over the gateways. */
export const sendBurst = async (
  api: FourGateways,
  { plan, usedBefore, times, choose }: Burst,
): Promise<BurstResult> => {
  const { key, keyId } = await api.newKey({ plan });
  const window = windowAt(new Date(times[0] ?? 0));
  await countBefore(api, keyId, window, usedBefore);
  await api.setClocks(times);
  api.faults.reset();
  api.faults.inject(choose);
  const answers = await Promise.all(Array.from({ length: REQUESTS }, (_, nth) => api.lookup(nth % GATEWAYS, key)));
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
    increment: (await api.usage.count(keyId, window)) - usedBefore,
    answersLost: updates.filter(({ injected, isAbandoned }) => injected?.answered === false || isAbandoned).length,
  };
};
