import { readFileSync } from 'node:fs';
import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { allowanceUnits } from '../../../core/access/allowance.ts';
import { generateKey, KEY_KINDS, type KeyKind, newApiKey, parseApiKey } from '../../../core/access/api-key.ts';
import { type Access, authenticate, isWithinLimit, remainingOf } from '../../../core/access/authenticate.ts';
import type { KeyRecord } from '../../../core/access/key-record.ts';
import { largestRequestsPerSecond, planNamed, secondsUntilReset, windowAt } from '../../../core/access/plans.ts';
import { requestCounter } from '../../../core/access/request-counter.ts';
import { type UsageTable, usageTable } from '../../../core/access/usage-table.ts';
import { londonDate } from '../../../core/runtime/clock.ts';
import { recentMap } from '../../../core/runtime/recent-map.ts';
import { TEST_PLANS } from '../../support/records.ts';

describe('An API key', () => {
  it.each(KEY_KINDS)('of the kind %s has the documented form, and its prefix', (kind) => {
    const { key, id, hash } = newApiKey(kind);
    expect(key).toMatch(new RegExp(`^vvc_${kind}_[0-9A-Za-z]{36}$`));
    expect(parseApiKey(key)).toEqual({ id, hash, kind });
  });

  it.each(KEY_KINDS)('of the kind %s is found in a text by the regular expression for secret scanners', (kind) => {
    const [, pattern = ''] = /^```\n(.*vvc_.*)\n```$/m.exec(readFileSync('SECURITY.md', 'utf8')) ?? [];
    const key = generateKey(kind);
    const scanner = new RegExp(pattern, 'g');
    expect(`KEY=${key};"${key}" ${key}x x${key} ${key.slice(0, -1)}`.match(scanner)).toEqual([key, key]);
  });

  it('ends with the CRC32 of the rest in base62, as another implementation computes it', () => {
    expect(parseApiKey(`vvc_live_${'A'.repeat(30)}3z0LB1`)).toBeDefined();
  });

  it('with any one character changed is not well-formed', () => {
    const key = generateKey('live');
    const position = fc.integer({ min: 9, max: key.length - 1 });
    const character = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
    fc.assert(
      fc.property(position, character, (at, other) => {
        fc.pre(key.charAt(at) !== other);
        expect(parseApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBeUndefined();
      }),
    );
  });

  const test = generateKey('test');
  it.each([
    ['the prefix of one alone', 'vvc_live_'],
    ['one after a space', ` ${test}`],
    ['one before another character', `${test}x`],
    ['one of an unknown kind', generateKey('prod' as KeyKind)],
  ])('is not %s', (_what, text) => expect(parseApiKey(text)).toBeUndefined());

  it('is known by its SHA-256 in hex', () => expect(parseApiKey(test)?.hash).toMatch(/^[0-9a-f]{64}$/));

  it('has an id that begins with probe- if it is the probe’s, and no other', () => {
    const ids = KEY_KINDS.map((kind) => parseApiKey(generateKey(kind))?.id);
    const hex = expect.stringMatching(/^[0-9a-f]{20}$/);
    expect(ids).toEqual([hex, hex, expect.stringMatching(/^probe-[0-9a-f]{20}$/)]);
  });
});

const NOW = new Date('2026-06-15T12:00:30Z');
/** A request with the key at this time. */
const ask = (access: Access, now = NOW, sourceIp = '') =>
  authenticate(access, presented, { now, today: londonDate(now), sourceIp }, () => undefined);
const unauthorized = expect.objectContaining({ code: 'UNAUTHORIZED' });
const none = { id: '', hash: '', kind: 'test' } as const;
const presented = parseApiKey(generateKey('test')) ?? none;
const createdAt = '2026-01-01T00:00:00.000Z';
const RECORD: KeyRecord = { ...presented, name: 'Test', plan: 'free', scopes: [], createdAt };
const throttled = new ProvisionedThroughputExceededException({ message: '', $metadata: {} });

const counterOf = (increment: UsageTable['increment']) =>
  requestCounter({ increment, recordLimit: async () => undefined });

const storeOf = (record: KeyRecord | undefined, increment = async () => 7): Access => ({
  findKey: async (id) => (id === presented.id ? record : undefined),
  counter: counterOf(increment),
  units: allowanceUnits({ addUnits: async () => undefined }),
  plans: TEST_PLANS,
  seenInForce: recentMap(),
});
const unreadable = (store: Access): Access => ({
  ...store,
  findKey: () => Promise.reject(new Error('unreadable')),
});
const authenticated = (fields: Partial<KeyRecord>) => ask(storeOf({ ...RECORD, ...fields }));

describe('A key', () => {
  it.each([
    ['on its last day', { expires: '2026-06-15' }],
    ['without a last day', {}],
  ])('is authenticated %s, with its plan and usage', async (_when, fields) => {
    const key = { ...RECORD, ...fields };
    expect(await authenticated(fields)).toEqual({ key, plan: TEST_PLANS.free, used: 7 });
  });

  it.each([
    ['after its last day', { expires: '2026-06-14' }],
    ['once it is revoked', { revokedAt: '2026-06-15T12:00:31Z' }],
    ['with another hash', { hash: '0'.repeat(64) }],
    ['with a hash of another length', { hash: '' }],
  ])('is not authenticated %s', async (_when, fields) => expect(authenticated(fields)).rejects.toEqual(unauthorized));

  it('that is unknown is not authenticated', async () => expect(ask(storeOf(undefined))).rejects.toEqual(unauthorized));

  it('is counted in the window of the request', async () => {
    const counted: unknown[] = [];
    const store = { ...storeOf(RECORD), counter: counterOf(async (...call) => counted.push(...call)) };
    await ask(store);
    expect(counted).toEqual([presented.id, windowAt(NOW)]);
  });

  it('whose counter is throttled has no usage; any other error is thrown', async () => {
    const uncounted = (error: Error) => storeOf(RECORD, () => Promise.reject(error));
    const caller = await ask(uncounted(throttled));
    expect(caller).toEqual({ key: RECORD, plan: TEST_PLANS.free, used: undefined });
    await expect(ask(uncounted(new Error('broken')))).rejects.toThrow('broken');
    await expect(ask(unreadable(storeOf(RECORD)))).rejects.toThrow('unreadable');
  });

  it('that was in force and is not any more is not authenticated, whatever the counter throws', async () => {
    const record = { ...RECORD };
    const store = storeOf(record);
    await ask(store);
    Object.assign(record, { revokedAt: '2026-06-15T12:00:00Z' });
    const broken = counterOf(() => Promise.reject(new Error('broken')));
    await expect(ask({ ...store, counter: broken })).rejects.toEqual(unauthorized);
  });

  it.each([
    [59, true, 1],
    [60, true, 0],
    [61, false, 0],
    [undefined, false, 0],
  ])('that was used %s times of 60: within the limit %s, %i left', (used, isWithin, left) => {
    const caller = { key: RECORD, plan: TEST_PLANS.free, used };
    expect(isWithinLimit(caller)).toEqual(isWithin);
    expect(remainingOf(caller)).toEqual(left);
  });
});

/** The order of the requests to the database: test/api/handlers.test.ts. */
describe('A key with addresses', () => {
  it.each([
    ['203.0.113.255', true],
    ['203.0.114.0', false],
    ['::ffff:203.0.113.7', true],
    ['192.0.2.1', true],
    ['192.0.2.2', false],
    ['2001:DB8::1', true],
    ['2001:db8:1::1', true],
    ['2001:db8:2::1', false],
    ['', false],
    ['203.0.113.7, 192.0.2.1', false],
  ])('permits requests from %j: %j', async (sourceIp, isPermitted) => {
    const addresses = ['203.0.113.0/24', '192.0.2.1', '2001:db8::/47'];
    const asked = ask(storeOf({ ...RECORD, addresses }), NOW, sourceIp);
    if (isPermitted) expect(await asked).toMatchObject({ used: 7 });
    else await expect(asked).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
  });

  it.each([
    ['::/0', '203.0.113.7', false],
    ['::/0', '2001:db8::1', true],
    ['::ffff:203.0.113.0/120', '203.0.113.7', false],
    ['0.0.0.0/0', '203.0.113.7', true],
    ['0.0.0.0/0', '2001:db8::1', false],
  ])('in %s: permits %s: %j', async (range, sourceIp, isPermitted) => {
    const asked = ask(storeOf({ ...RECORD, addresses: [range] }), NOW, sourceIp).then(() => true);
    expect(await asked.catch(() => false)).toBe(isPermitted);
  });

  it('that can no longer be read permits none, and one that has ended is 401 from everywhere', async () => {
    for (const addresses of [[], ['203.0.113.0/33', 'damaged']]) {
      const asked = ask(storeOf({ ...RECORD, addresses }), NOW, '203.0.113.7');
      await expect(asked).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
    }
    const ended = { ...RECORD, addresses: ['203.0.113.0/24'], expires: '2026-06-14' };
    for (const ip of ['203.0.113.7', '192.0.2.1']) {
      await expect(ask(storeOf(ended), NOW, ip)).rejects.toEqual(unauthorized);
    }
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
    return { record, store, send: (now = NOW) => ask(store, now), counted: () => counted };
  };

  it('stays at twice the limit until the window ends', async () => {
    const { send, counted } = setup();
    for (const used of [119, 120, 120, 120]) expect(await send()).toMatchObject({ plan: TEST_PLANS.free, used });
    expect(counted()).toBe(120);
    expect(await send(new Date('2026-06-15T12:01:00Z'))).toMatchObject({ used: 121 });
  });

  it('is incremented again by the first request that finds a larger plan', async () => {
    const { record, send } = setup();
    for (let sent = 0; sent < 3; sent += 1) await send();
    record.plan = 'standard';
    for (const used of [121, 122]) expect(await send()).toMatchObject({ plan: TEST_PLANS.standard, used });
  });

  it('does not keep a revoked key from being found revoked', async () => {
    const { record, store, send, counted } = setup();
    for (let sent = 0; sent < 3; sent += 1) await send();
    Object.assign(record, { revokedAt: '2026-06-15T12:00:31Z' });
    await expect(send()).rejects.toEqual(unauthorized);
    await expect(ask(unreadable(store))).rejects.toThrow('unreadable');
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
    const shared = { ...store, counter: counterOf(increment) };
    const first = ask(shared);
    await ask(shared);
    late.resolve(119);
    expect(await first).toMatchObject({ used: 119 });
    await ask(shared);
    expect(increments).toBe(2);
  });
});

it('The limit of a window is recorded once, and again when it changes', async () => {
  const recorded: unknown[] = [];
  const counter = requestCounter({
    increment: async () => 1,
    recordLimit: async (_keyId, _window, limit) => void recorded.push(limit),
  });
  for (const limit of [60, 60, 600]) await counter.recordLimit('id', windowAt(NOW), limit);
  expect(recorded).toEqual([60, 600]);
});

it('A recent map has a key until it is forgotten, or the least recently remembered of too many', () => {
  const keys = recentMap<string>(2);
  for (const key of ['a', 'b', 'a', 'c']) keys.remember(key, 'free');
  expect(['a', 'b', 'c'].map(keys.get)).toEqual(['free', undefined, 'free']);
  keys.forget('a');
  keys.remember('c', 'premium');
  expect(['a', 'c'].map(keys.get)).toEqual([undefined, 'premium']);
});

it('Nobody is admitted by a counter that is no number: a response without it is an error', async () => {
  const silent = { send: async () => ({}) } as unknown as DynamoDBDocumentClient;
  const { increment } = usageTable(silent, 'usage');
  await expect(increment('id', windowAt(new Date(0)))).rejects.toThrow('no counter');
});

it.each([
  ['2026-06-15T12:00:00.000Z', '2026-06-15T12:00:00Z'],
  ['2026-06-15T12:00:59.999Z', '2026-06-15T12:00:00Z'],
  ['2026-06-15T12:01:00.000Z', '2026-06-15T12:01:00Z'],
])('A rate limit window at %s began at %s and lasts 60 s', (instant, begin) => {
  const start = Date.parse(begin) / 1_000;
  expect(windowAt(new Date(instant))).toEqual({ start, end: start + 60 });
});

it.each([
  ['2026-06-15T12:00:00.000Z', 60],
  ['2026-06-15T12:00:10.001Z', 50],
  ['2026-06-15T12:00:59.999Z', 1],
])('A caller beyond its limit at %s waits %i seconds for the next window', (instant, seconds) => {
  expect(secondsUntilReset(new Date(instant))).toBe(seconds);
});

describe('The plan of a key', () => {
  const plans = {
    large: { requestsPerWindow: 9, bulkSize: 9, unitsPerDay: 9 },
    small: { requestsPerWindow: 1, bulkSize: 2 },
    medium: { requestsPerWindow: 5, bulkSize: 1, unitsPerDay: 7, unitsPerMonth: 8 },
  };
  const smallest = { requestsPerWindow: 1, bulkSize: 1, unitsPerDay: 7, unitsPerMonth: 8 };

  it.each([
    ['medium', plans.medium],
    ['small', plans.small],
    ['gone', smallest],
    ['constructor', smallest],
  ])('%s is the one with this name, otherwise it has the smallest of every limit', (name, plan) =>
    expect(planNamed(plans, name)).toEqual(plan),
  );

  it('has no allowance when it is gone and no other has one', () => {
    expect(planNamed(TEST_PLANS, 'gone')).toEqual(TEST_PLANS.free);
  });

  it('allows at most 9 requests a minute, 0.15 a second, when the largest plan has 9', () => {
    expect(largestRequestsPerSecond(plans)).toBe(0.15);
  });
});
