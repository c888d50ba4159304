import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { type AdmissionStore, authenticate, isWithinLimit, remainingOf } from '../../core/access/admission.ts';
import { generateKey, parseApiKey } from '../../core/access/api-key.ts';
import type { KeyRecord } from '../../core/access/keys-table.ts';
import { PLANS, windowAt } from '../../core/access/plans.ts';
import { recentMap } from '../../core/access/recent-map.ts';

const NOW = new Date('2026-06-15T12:00:30Z');
const none = { id: '', hash: '', kind: 'test' } as const;
const presented = parseApiKey(generateKey('test')) ?? none;
const createdAt = '2026-01-01T00:00:00.000Z';
const RECORD: KeyRecord = { ...presented, name: 'Test', plan: 'free', scopes: [], createdAt };
const throttled = new ProvisionedThroughputExceededException({ message: '', $metadata: {} });

const storeOf = (record: KeyRecord | undefined, increment = async () => 7): AdmissionStore => ({
  findKey: async (id) => (id === presented.id ? record : undefined),
  incrementUsage: increment,
  overused: recentMap(),
});
const unreadable = (store: AdmissionStore): AdmissionStore => ({
  ...store,
  findKey: () => Promise.reject(new Error('unreadable')),
});
const admitted = (fields: Partial<KeyRecord>) => authenticate(storeOf({ ...RECORD, ...fields }), presented, NOW);

describe('A key', () => {
  it.each([
    ['on its last day', { expires: '2026-06-15' }],
    ['without a last day', {}],
  ])('is admitted %s, with its plan and usage', async (_when, fields) => {
    const key = { ...RECORD, ...fields };
    expect(await admitted(fields)).toEqual({ key, plan: PLANS.free, used: 7 });
  });

  it.each([
    ['after its last day', { expires: '2026-06-14' }],
    ['once it is revoked', { revokedAt: '2026-06-15T12:00:31Z' }],
    ['with another hash', { hash: '0'.repeat(64) }],
  ])('is not admitted %s', async (_when, fields) => expect(await admitted(fields)).toBeUndefined());

  it('that is unknown is not admitted', async () =>
    expect(await authenticate(storeOf(undefined), presented, NOW)).toBeUndefined());

  it('is counted in the window of the request', async () => {
    const counted: unknown[] = [];
    const store = { ...storeOf(RECORD), incrementUsage: async (...call: unknown[]) => counted.push(...call) };
    await authenticate(store, presented, NOW);
    expect(counted).toEqual([presented.id, windowAt(NOW)]);
  });

  it('whose counter is throttled has no usage; any other error is thrown', async () => {
    const failing = (error: Error) =>
      authenticate(
        storeOf(RECORD, () => Promise.reject(error)),
        presented,
        NOW,
      );
    expect(await failing(throttled)).toEqual({ key: RECORD, plan: PLANS.free, used: undefined });
    await expect(failing(new Error('broken'))).rejects.toThrow('broken');
    await expect(authenticate(unreadable(storeOf(RECORD)), presented, NOW)).rejects.toThrow('unreadable');
  });

  it.each([
    [59, true, 1],
    [60, true, 0],
    [61, false, 0],
    [undefined, false, 0],
  ])('that was used %s times of 60: within the limit %s, %i left', (used, isWithin, left) => {
    const caller = { key: RECORD, plan: PLANS.free, used };
    expect([isWithinLimit(caller), remainingOf(caller)]).toEqual([isWithin, left]);
  });
});

describe('The counter of a key that ignores 429', () => {
  /** The free plan's limit is 60. Plan and revocation can change in the middle of the window. */
  const setup = () => {
    const record = { ...RECORD };
    let counted = 118;
    const increment = async () => {
      counted += 1;
      return counted;
    };
    const store = { ...storeOf(record, increment), findKey: async () => record };
    return { record, store, send: (now = NOW) => authenticate(store, presented, now), counted: () => counted };
  };

  it('stays at twice the limit until the window ends', async () => {
    const { send, counted } = setup();
    for (const used of [119, 120, 120, 120]) expect(await send()).toMatchObject({ plan: PLANS.free, used });
    expect(counted()).toBe(120);
    expect(await send(new Date('2026-06-15T12:01:00Z'))).toMatchObject({ used: 121 });
  });

  it('is incremented again by the first request that finds a larger plan, which is admitted', async () => {
    const { record, send } = setup();
    for (let sent = 0; sent < 3; sent += 1) await send();
    record.plan = 'standard';
    for (const used of [121, 122]) expect(await send()).toMatchObject({ plan: PLANS.standard, used });
  });

  it('does not keep a revoked key from being found revoked', async () => {
    const { record, store, send, counted } = setup();
    for (let sent = 0; sent < 3; sent += 1) await send();
    Object.assign(record, { revokedAt: '2026-06-15T12:00:31Z' });
    expect(await send()).toBeUndefined();
    await expect(authenticate(unreadable(store), presented, NOW)).rejects.toThrow('unreadable');
    expect(counted()).toBe(120);
  });

  it('is not counted twice by a request whose lower count arrives after it was seen at twice the limit', async () => {
    const { store } = setup();
    let increments = 0;
    const late = Promise.withResolvers<number>();
    const increment = () => {
      increments += 1;
      return increments === 1 ? late.promise : Promise.resolve(120);
    };
    const shared = { ...store, incrementUsage: increment };
    const first = authenticate(shared, presented, NOW);
    await authenticate(shared, presented, NOW);
    late.resolve(119);
    expect(await first).toMatchObject({ used: 119 });
    await authenticate(shared, presented, NOW);
    expect(increments).toBe(2);
  });
});

describe('Recent keys', () => {
  it('are known until they are forgotten, or least recently remembered of too many', () => {
    const keys = recentMap<string>(2);
    for (const key of ['a', 'b', 'a', 'c']) keys.remember(key, 'free');
    expect(['a', 'b', 'c'].map(keys.get)).toEqual(['free', undefined, 'free']);
    keys.forget('a');
    keys.remember('c', 'premium');
    expect(['a', 'c'].map(keys.get)).toEqual([undefined, 'premium']);
  });
});
