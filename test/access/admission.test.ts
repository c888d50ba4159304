import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { type AdmissionStore, authenticate, isWithinLimit, remainingOf } from '../../core/access/admission.ts';
import { generateKey, parseApiKey } from '../../core/access/api-key.ts';
import type { KeyRecord } from '../../core/access/keys-table.ts';
import { PLANS } from '../../core/access/plans.ts';
import { recentlyAdmittedKeys } from '../../core/access/recently-admitted-keys.ts';

const NOW = new Date('2026-06-15T12:00:30Z');
const none = { id: '', hash: '', environment: 'test' } as const;
const presented = parseApiKey(generateKey('test')) ?? none;
const RECORD: KeyRecord = {
  ...presented,
  name: 'Test',
  plan: 'free',
  scopes: [],
  createdAt: '2026-01-01T00:00:00.000Z',
};
const throttled = new ProvisionedThroughputExceededException({ message: '', $metadata: {} });

const storeOf = (record: KeyRecord | undefined, increment = async () => 7): AdmissionStore => ({
  findKey: async (id) => (id === presented.id ? record : undefined),
  incrementUsage: increment,
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

  it('that is unknown is not admitted', async () => {
    expect(await authenticate(storeOf(undefined), presented, NOW)).toBeUndefined();
  });

  it('is counted in the window of the request', async () => {
    const counted: unknown[] = [];
    const store = { ...storeOf(RECORD), incrementUsage: async (...call: unknown[]) => counted.push(...call) };
    await authenticate(store, presented, NOW);
    const start = Date.parse('2026-06-15T12:00:00Z') / 1_000;
    expect(counted).toEqual([presented.id, { start, end: start + 60 }]);
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
    const store = { ...storeOf(RECORD), findKey: () => Promise.reject(new Error('unreadable')) };
    await expect(authenticate(store, presented, NOW)).rejects.toThrow('unreadable');
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

describe('Recently admitted keys', () => {
  it('are forgotten when they are rejected, and beyond the maximum the least recently admitted first', () => {
    const keys = recentlyAdmittedKeys(2);
    for (const hash of ['a', 'b', 'a', 'c']) keys.remember(hash, PLANS.free);
    expect(['a', 'b', 'c'].map(keys.planOf)).toEqual([PLANS.free, undefined, PLANS.free]);
    keys.forget('a');
    keys.remember('c', PLANS.premium);
    expect(['a', 'c'].map(keys.planOf)).toEqual([undefined, PLANS.premium]);
  });
});
