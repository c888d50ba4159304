import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from '@jest/globals';
import { hashKey, keyIdOf } from '../../core/access/api-key.ts';
import { windowAt } from '../../core/access/plans.ts';
import { type ChooseFault, forTable, withProbability } from '../support/fault-choosers.ts';
import type { Fault } from '../support/fault-proxy.ts';
import { aVehicle, NOON, TEST_PLANS } from '../support/records.ts';
import { useApi } from '../support/use-api.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

const SEED = 20_260_615;
const WINDOW_MS = 60_000;

const api = useApi(({ loadVehicles }) => loadVehicles(aVehicle('AB12CDE')));

const send = (key: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => api.call('GET', '/v1/vehicle/AB12CDE/insurance', { key })));
const countOf = (replies: Awaited<ReturnType<typeof send>>, status: number): number =>
  replies.filter((reply) => reply.status === status).length;

/** Of the requests to the tables of keys and of counters. */
const FAULT_SHARE = 0.15;
/** Sent at once in every window. */
const REQUESTS = 500;
/** Windows with faults, and windows without. */
const WINDOWS = bySize({ faulty: 3, control: 1 }, { faulty: 54, control: 6 });

/** In turn: 60, 200 and 400 of the 500 requests are left. */
const STARTS = [
  { plan: 'free', usedBefore: 0 },
  { plan: 'standard', usedBefore: 400 },
  { plan: 'premium', usedBefore: 5_600 },
] as const;

/** In time for the SDK, and too late (`core/dynamodb/database.ts`). */
const SLOW: Fault = { slowMs: 400 };
const TOO_SLOW: Fault = { slowMs: 1_500 };
const NOT_APPLIED: readonly (Fault | undefined)[] = ['throttle', 'error', 'hang', 'resetBefore'];
const NOT_ANSWERED: readonly (Fault | undefined)[] = [...NOT_APPLIED, 'resetAfter', 'errorAfter', 'truncate', TOO_SLOW];

/** Sends more requests with a new key than are left in the window. */
const sendBurst = async (nth: number, choose: ChooseFault) => {
  const { plan, usedBefore } = STARTS[nth % STARTS.length] ?? STARTS[0];
  const key = await api.newKey({ plan });
  const keyId = keyIdOf(hashKey(key), 'live');
  api.clock.now = NOON + nth * WINDOW_MS;
  const { start } = windowAt(new Date(api.clock.now));
  const Item = { keyId: { S: keyId }, windowStart: { N: String(start) }, used: { N: String(usedBefore) } };
  await api.engine.client.send(new PutItemCommand({ TableName: api.engine.names.usage, Item }));
  api.faults.reset();
  api.faults.inject(choose);
  const replies = await send(key, REQUESTS);
  // A request whose key cannot be read is answered without waiting for its update.
  await api.faults.settled();
  const used = (await api.usage.counts(keyId, start))[0]?.used ?? 0;
  const updates = api.faults.calls.filter(({ body }) => body.includes('ADD used'));
  const applied = updates.filter(({ fault }) => !NOT_APPLIED.includes(fault));
  const unanswered = updates.filter(({ fault }) => NOT_ANSWERED.includes(fault)).length;
  const [admitted = 0, limited = 0, failed = 0] = [200, 429, 500].map((status) => countOf(replies, status));
  return {
    plan,
    admitted,
    failed,
    left: TEST_PLANS[plan].requestsPerWindow - usedBefore,
    others: REQUESTS - admitted - limited - failed,
    faults: api.faults.calls.filter(({ fault }) => fault !== undefined).length,
    applied: applied.length,
    increment: used - usedBefore,
    /** Applied updates whose response did not arrive in time, by a fault or a slow machine: they are sent again. */
    responsesLost: applied.filter(({ fault, isAbandoned }) => NOT_ANSWERED.includes(fault) || isAbandoned).length,
    /** Updates that the SDK sent again because this machine was too slow, and not because of a fault. */
    machineRetries: Math.max(0, updates.length - REQUESTS - unanswered),
  };
};

it(
  'The rate limit on a faulty database admits no more than is left, loses only what was counted twice or failed, and counts every applied update',
  async () => {
    const chosen = withProbability(FAULT_SHARE, [...NOT_ANSWERED, SLOW] as Fault[], SEED);
    const onKeys = forTable(api.engine.names.keys, chosen);
    const onCounters = forTable(api.engine.names.usage, chosen);
    for (let nth = 0; nth < WINDOWS.faulty + WINDOWS.control; nth += 1) {
      const burst = await sendBurst(nth, (call) =>
        nth < WINDOWS.faulty ? (onKeys(call) ?? onCounters(call)) : undefined,
      );
      reportFigures('rate limit', burst);
      const { left, admitted, failed, others, applied, increment, responsesLost, machineRetries, faults } = burst;
      expect(admitted).toBeLessThanOrEqual(left);
      expect(left - admitted).toBeLessThanOrEqual(responsesLost + failed + machineRetries);
      expect({ increment, others }).toEqual({ increment: applied, others: 0 });
      if (faults === 0 && responsesLost + machineRetries === 0)
        expect({ admitted, failed }).toEqual({ admitted: left, failed: 0 });
    }
  },
  TIMEOUT_MS,
);
