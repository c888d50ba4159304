import { userInfo } from 'node:os';
import { DeleteCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { keyStore } from '../../../admin/keys/key-store.ts';
import { hashKey, keyIdOf } from '../../../core/access/api-key.ts';
import { windowAt } from '../../../core/access/plans.ts';
import { prefixedTableNames } from '../../../core/tables.ts';
import { createTables } from '../../../local/engine/create-tables.ts';
import { failure, NOW, useAdmin } from '../../support/use-admin.ts';

/** Milliseconds for which the counter of a window is kept. */
const KEPT_MS = 40 * 86_400_000;

const { run, json, countedRun, proxy, engine } = useAdmin();

interface ShownKey {
  readonly id: string;
  readonly key: string;
  readonly createdAt: string;
}

/** As the records of keys name who runs these commands, on this machine. */
const ME = userInfo().username;

const CREATE = ['keys', 'create', '--plan', 'free', '--name', 'Acme'];
const create = (...args: string[]) => json<ShownKey>([...CREATE, ...args]);
const listed = (options = {}) => json<ShownKey[]>(['keys', 'list'], options);
const listedAs = async (id: string, options = {}) => (await listed(options)).find((key) => key.id === id);
const put = (TableName: string, Item: object) => engine().client.send(new PutCommand({ TableName, Item }));

it('keys create shows one JSON object with the key, once; domains in lower case', async () => {
  const domains = ['--domains', 'B.example, a.example,b.EXAMPLE'];
  const settings = ['--scopes', 'content:read,vehicles:read', '--expires', '2026-11-21', ...domains];
  const created = await create(...settings);
  expect(created).toEqual({
    id: keyIdOf(hashKey(created.key), 'live'),
    key: expect.stringMatching(/^vvc_live_/),
    environment: 'live',
    name: 'Acme',
    plan: 'free',
    plans: [{ plan: 'free', since: '2026-11-21T12:00:00.000Z' }],
    scopes: ['vehicles:read', 'content:read'],
    domains: ['b.example', 'a.example'],
    state: 'active',
    createdAt: NOW.toISOString(),
    createdBy: ME,
    expires: '2026-11-21',
    follows: null,
    successor: null,
    changedAt: null,
    changedBy: null,
    rotatedAt: null,
    rotatedBy: null,
    revokedAt: null,
    revokedBy: null,
  });
});

describe('keys list', () => {
  it('shows the oldest key first', async () => {
    for (const minute of [30, 10, 50, 20, 40, 0]) {
      await run(CREATE, { now: new Date(NOW.getTime() - minute * 60_000) });
    }
    const ages = (await listed()).map(({ createdAt }) => createdAt);
    expect(ages.length).toBeGreaterThanOrEqual(6);
    expect(ages).toEqual(ages.toSorted());
  });

  it('shows the state of every key in at most 80 columns, and never a key or a hash', async () => {
    const { id, key } = await create();
    const old = await create('--expires', '2026-11-21');
    await create('--name', 'x'.repeat(100), '--domains', `a.example,${'b'.repeat(60)}.example`);
    await run(['keys', 'revoke', id]);
    const tomorrow = { now: new Date('2026-11-22T12:00:00Z') };
    expect(await listedAs(id, tomorrow)).toMatchObject({ state: 'revoked', revokedAt: NOW.toISOString() });
    expect(await listedAs(old.id, tomorrow)).toMatchObject({ state: 'expired' });
    const { stdout } = await run(['keys', 'list'], tomorrow);
    expect(stdout).toMatch(new RegExp(`^${old.id} +free +expired`, 'm'));
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
    for (const text of [JSON.stringify(await listed()), stdout]) {
      for (const secret of [key, hashKey(key)]) expect(text).not.toContain(secret);
    }
  });

  it.each([
    [[0, 60_000, 3_600_000], '2026-11-21T12:00:00.000Z', '2026-11-21\nAcme +live .* 12:00'],
    [[KEPT_MS - 60_000], '2026-10-12T12:01:00.000Z', '2026-10-12\nAcme +live .* 12:01'],
    [[KEPT_MS + 60_000], null, 'not in 40 d'],
    [[], null, 'not in 40 d'],
  ])('shows the minute in which a key was last used in the last 40 days: %j ms ago', async (ages, lastUsed, text) => {
    const { id: keyId } = await json<ShownKey>(CREATE, { now: new Date(NOW.getTime() - 2 * KEPT_MS) });
    for (const age of ages) {
      await put(engine().names.usage, { keyId, windowStart: windowAt(new Date(NOW.getTime() - age)).start, used: 1 });
    }
    expect(await listedAs(keyId)).toMatchObject({ lastUsed });
    expect((await run(['keys', 'list'])).stdout).toMatch(new RegExp(`^${keyId} .* ${text}$`, 'm'));
  });

  it('says of a key whose plan is gone that it is, and by what it works; update and create name the plans', async () => {
    const { id } = await create('--plan', 'premium');
    const env = { PLANS: JSON.stringify({ free: { requestsPerWindow: 5, bulkSize: 1 } }) };
    expect(await listedAs(id, { env })).toMatchObject({ plan: 'premium', planIsGone: true });
    expect((await listed()).every((key) => !('planIsGone' in key && key.planIsGone))).toBe(true);
    const { stdout } = await run(['keys', 'list'], { env });
    expect(stdout).toMatch(new RegExp(`^${id} +premium .*\\nAcme +plan is gone `, 'm'));
    expect(stdout).toMatch(/^Keys whose plan is gone, which work by the plan with the fewest requests: 1\.$/m);
    expect(await json(['keys', 'usage', id], { env })).toMatchObject({ plan: 'premium', limit: 5 });
    const sentence = failure('there is no plan premium: there are free');
    expect(await run(['keys', 'update', id, '--plan', 'premium'], { env })).toEqual(sentence);
  });

  it('lists only keys in a state, or whose name contains a text, and marks those that end within 30 days', async () => {
    const make = async (expires: string) => (await create('--name', 'Ärger & Co', '--expires', expires)).id;
    const soon = await make('2026-12-21');
    const later = await make('2026-12-22');
    const revoked = await make('2026-12-21');
    await run(['keys', 'revoke', revoked]);
    const filtered = async (...args: string[]) => {
      const found = await json<(ShownKey & { endsSoon: boolean })[]>(['keys', 'list', '--name', 'äRGER', ...args]);
      return found.map(({ id, endsSoon }): [string, boolean] => [id, endsSoon]);
    };
    expect(Object.fromEntries(await filtered('--state', 'active'))).toEqual({ [soon]: true, [later]: false });
    expect(await filtered('--state', 'revoked')).toEqual([[revoked, false]]);
    expect(await filtered('--state', 'expired')).toEqual([]);
    const { stdout } = await run(['keys', 'list', '--name', 'ärger']);
    expect(stdout.match(/ ends soon$/gm)).toHaveLength(1);
    expect(stdout).toMatch(/\nKeys that end within 30 days: 1\.\n$/);
    const nobody = 'No key is in that state or has such a name.\n';
    expect(await run(['keys', 'list', '--name', 'nobody'])).toMatchObject({ exitCode: 0, stdout: nobody });
    expect(await run(['keys', 'list', '--state', 'gone'])).toEqual(failure('active, expired, revoked'));
  });
});

it('A key says who created, changed, rotated and revoked it, and when', async () => {
  const at = (minute: number) => ({ now: new Date(NOW.getTime() + minute * 60_000) });
  const iso = (minute: number) => at(minute).now.toISOString();
  const { id } = await create();
  await run(['keys', 'update', id, '--plan', 'premium'], at(1));
  await run(['keys', 'update', id, '--no-domains'], at(2));
  const { id: successor } = await json<ShownKey>(['keys', 'rotate', id], at(3));
  await run(['keys', 'revoke', id], at(4));
  const by = { createdBy: ME, changedBy: ME, rotatedBy: ME, revokedBy: ME };
  const times = { changedAt: iso(2), rotatedAt: iso(3), revokedAt: iso(4) };
  const since = { free: '2026-11-21T12:00:00.000Z', premium: '2026-11-21T12:01:00.000Z' };
  const plans = Object.entries(since).map(([plan, from]) => ({ plan, since: from }));
  expect(await listedAs(id, at(5))).toMatchObject({ ...by, ...times, plans });
  const nothing = { changedBy: null, rotatedBy: null, revokedBy: null };
  expect(await listedAs(successor, at(5))).toMatchObject({ createdAt: iso(3), createdBy: ME, ...nothing });
  const { previous } = await json<{ previous: object }>(['keys', 'rotate', successor, '--overlap-days', '0'], at(6));
  expect(previous).toMatchObject({ rotatedAt: iso(6), rotatedBy: ME, revokedAt: iso(6), revokedBy: ME });
});

it('keys update binds a key to domains, unbinds it, and puts it on another plan in the same write', async () => {
  const { id } = await create();
  const update = (...options: string[]) => json(['keys', 'update', id, ...options]);
  expect(await update('--domains', 'A.example')).toMatchObject({ plan: 'free', domains: ['a.example'] });
  expect((await countedRun(['keys', 'update', id, '--no-domains', '--plan', 'premium'])).exitCode).toBe(0);
  expect(proxy().calls.map(({ operation }) => operation)).toEqual(['GetItem', 'UpdateItem']);
  expect(await listedAs(id)).toMatchObject({ plan: 'premium', domains: null });
  const { stdout } = await run(['keys', 'update', id, '--domains', 'a.example,b.example']);
  expect(stdout).toBe(`Key ${id} (Acme) is on plan premium, for content of a.example, b.example.\n`);
});

it.each([
  ['list', []],
  ['revoke', ['ID']],
  ['rotate', ['ID']],
  ['usage', ['ID']],
])('keys %s names a damaged record and what to do about it', async (command, args) => {
  const { keys } = engine().names;
  const id = 'd'.repeat(20);
  await put(keys, { id, plan: 'gold' });
  const sentence = `error: the stored record of key ${id} is damaged: docs/runbook.md#errorrate says how to replace it\n`;
  expect(await run(['keys', command, ...args.map(() => id)])).toEqual(failure(sentence));
  await engine().client.send(new DeleteCommand({ TableName: keys, Key: { id } }));
});

it('keys update of a revoked key says that it is revoked, and changes nothing', async () => {
  const { id } = await create();
  await run(['keys', 'revoke', id]);
  const sentence = `error: key ${id} was revoked at ${NOW.toISOString()} and cannot be changed: create a new one with "keys create"\n`;
  expect(await run(['keys', 'update', id, '--plan', 'premium'])).toEqual(failure(sentence));
  expect(await listedAs(id)).toMatchObject({ plan: 'free', changedAt: null });
});

it('keys revoke keeps the first time when a key is revoked twice', async () => {
  const { id } = await create();
  const revokedAt = NOW.toISOString();
  expect((await run(['keys', 'revoke', id])).stdout).toBe(`Key ${id} (Acme) was revoked at ${revokedAt}.\n`);
  const again = await json(['keys', 'revoke', id], { now: new Date('2027-01-01T00:00:00Z') });
  expect(again).toMatchObject({ id, state: 'revoked', revokedAt });
});

it('keys restore copies missing keys whole, changes none that is there, and reports what it cannot read', async () => {
  const { client, names } = engine();
  /** The table that a point-in-time restore creates, beside the live one. */
  const restored = `${names.keys}-restored-keys`;
  await createTables(client, prefixedTableNames(restored.replace(/keys$/, '')));
  const [missing, kept, damaged] = [await create('--name', 'missing'), await create('--name', 'kept'), 'f'.repeat(20)];
  await run(['keys', 'revoke', missing.id]);
  const { Items = [] } = await client.send(new ScanCommand({ TableName: names.keys }));
  for (const item of Items) if ([missing.id, kept.id].includes(item.id)) await put(restored, item);
  await run(['keys', 'revoke', kept.id]);
  await client.send(new DeleteCommand({ TableName: names.keys, Key: { id: missing.id } }));

  const restore = ['keys', 'restore', '--from', restored];
  const { exitCode, stdout, stderr } = await run(restore);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(new RegExp(`^${missing.id} +missing +restored$`, 'm'));
  expect(stdout).toMatch(new RegExp(`^${kept.id} +kept +already there$`, 'm'));
  expect(stdout).toMatch(/^Restored: 1\. Already there and not changed: 1\.$/m);
  const { find } = keyStore(client, names.keys);
  expect(await find(kept.id)).toMatchObject({ revokedAt: NOW.toISOString() });
  const whole = { name: 'missing', environment: 'live', revokedAt: NOW.toISOString(), changeNumber: 3 };
  expect(await find(missing.id)).toMatchObject(whole);

  await put(restored, { id: damaged, plan: 'gold' });
  const again = await run([...restore, '--json']);
  const results = JSON.parse(again.stdout).map(({ result }: { result: string }) => result);
  expect([again.exitCode, results.sort()]).toEqual([1, ['already there', 'already there', 'unreadable']]);
  expect(await find(damaged)).toBeUndefined();
});
