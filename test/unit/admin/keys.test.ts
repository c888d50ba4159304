import { userInfo } from 'node:os';
import { DeleteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { keyStore } from '../../../admin/keys/key-store.ts';
import { hashKey, keyIdOf } from '../../../core/access/api-key.ts';
import { windowAt } from '../../../core/access/plans.ts';
import { storeItems } from '../../../local/sample-database.ts';
import { failure, NOW, useAdmin } from '../../support/use-admin.ts';

/** Minutes for which the counter of a window is kept. */
const KEPT = 40 * 24 * 60;

const { run, otherTables, json, countedRun, proxy, engine, store } = useAdmin();

interface ShownKey {
  readonly id: string;
  readonly key: string;
  readonly createdAt: string;
  readonly scopes: readonly string[];
}

/** As the records of keys name who runs these commands, on this machine. */
const ME = userInfo().username;

const CREATE = ['keys', 'create', '--plan', 'free', '--name', 'Acme'];
const create = (...args: string[]) => json<ShownKey>([...CREATE, ...args]);
const listed = (options = {}) => json<ShownKey[]>(['keys', 'list'], options);
const listedAs = async (id: string, options = {}) => (await listed(options)).find((key) => key.id === id);
/** So many minutes after `NOW`. */
const later = (minutes: number) => ({ now: new Date(NOW.getTime() + minutes * 60_000) });
const AT = NOW.toISOString();

it('keys create shows one JSON object with the key, once; domains and addresses in lower case', async () => {
  const domains = ['--domains', 'B.example, a.example,b.EXAMPLE'];
  const addresses = ['--addresses', '203.0.113.0/24, 2001:DB8::/32,2001:db8::/32'];
  const settings = ['--scopes', 'content:read,vehicles:read', '--expires', '2026-11-21', ...domains, ...addresses];
  const created = await create(...settings);
  const absent = 'customer follows successor changedAt changedBy rotatedAt rotatedBy revokedAt revokedBy'.split(' ');
  expect(created).toEqual({
    ...Object.fromEntries(absent.map((name) => [name, null])),
    id: keyIdOf(hashKey(created.key), 'live'),
    key: expect.stringMatching(/^vvc_live_/),
    environment: 'live',
    name: 'Acme',
    plan: 'free',
    plans: [{ plan: 'free', since: '2026-11-21T12:00:00.000Z' }],
    scopes: ['vehicles:read', 'content:read'],
    domains: ['b.example', 'a.example'],
    addresses: ['203.0.113.0/24', '2001:db8::/32'],
    state: 'active',
    createdAt: AT,
    createdBy: ME,
    expires: '2026-11-21',
  });
});

describe('keys list', () => {
  it('shows all scopes as "all", and vehicles:status only where it was asked for', async () => {
    const { id, scopes } = await create('--name', 'All');
    expect(scopes).toEqual(['vehicles:read', 'compliance:read', 'content:read', 'content:write']);
    const status = await create('--scopes', 'vehicles:status,content:read');
    expect(status.scopes).toEqual(['content:read', 'vehicles:status']);
    await create('--name', 'Four', '--scopes', 'vehicles:status,compliance:read,content:read,content:write');
    const { stdout } = await run(['keys', 'list']);
    expect(stdout).toMatch(new RegExp(`^${id}.* all `, 'm'));
    expect(stdout.match(/ vehicles:status$/gm)).toHaveLength(2);
  });

  it('shows the oldest key first', async () => {
    for (const minutes of [-30, -10, -50, -20, -40]) await run(CREATE, later(minutes));
    const ages = (await listed()).map(({ createdAt }) => createdAt);
    expect(ages).toEqual(ages.toSorted());
  });

  it('shows the state of every key in at most 80 columns, and never a key or a hash', async () => {
    const { id, key } = await create();
    const old = await create('--expires', '2026-11-21');
    const long = ['--name', 'x'.repeat(100), '--customer', 'c'.repeat(32)];
    const wide = ['--domains', `a.example,${'b'.repeat(60)}.example`, '--addresses', '2001:db8:1234:5678:9abc::/80'];
    await create(...long, ...wide);
    await run(['keys', 'revoke', id]);
    const tomorrow = later(24 * 60);
    expect(await listedAs(id, tomorrow)).toMatchObject({ state: 'revoked', revokedAt: AT });
    expect(await listedAs(old.id, tomorrow)).toMatchObject({ state: 'expired' });
    const { stdout } = await run(['keys', 'list'], tomorrow);
    expect(stdout).toMatch(new RegExp(`^${old.id} +free +expired`, 'm'));
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
    for (const text of [JSON.stringify(await listed()), stdout]) {
      for (const secret of [key, hashKey(key)]) expect(text).not.toContain(secret);
    }
  });

  it.each([
    [[0, 1, 60], '2026-11-21T12:00:00.000Z', '2026-11-21\nAcme +live .* 12:00'],
    [[KEPT - 1], '2026-10-12T12:01:00.000Z', '2026-10-12\nAcme +live .* 12:01'],
    [[KEPT + 1], null, 'not in 40 d'],
    [[], null, 'not in 40 d'],
  ])('shows the last use of a key within 40 days: %j minutes ago', async (ages, lastUsed, text) => {
    const { id: keyId } = await json<ShownKey>(CREATE, later(-2 * KEPT));
    await store('usage', ...ages.map((age) => ({ keyId, windowStart: windowAt(later(-age).now).start, used: 1 })));
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
    expect(stdout).toMatch(/^Keys whose plan is gone, which have the smallest limits of all plans: 1\.$/m);
    expect(await json(['keys', 'usage', id], { env })).toMatchObject({ plan: 'premium', limit: 5 });
    const sentence = failure('there is no plan premium: there are free');
    expect(await run(['keys', 'update', id, '--plan', 'premium'], { env })).toEqual(sentence);
  });

  it('lists only keys in a state, or whose name contains a text, and marks those that end within 30 days', async () => {
    const make = async (expires: string) => (await create('--name', 'Ärger & Co', '--expires', expires)).id;
    const soon = await make('2026-12-21');
    const distant = await make('2026-12-22');
    const revoked = await make('2026-12-21');
    await run(['keys', 'revoke', revoked]);
    const filtered = async (...args: string[]) => {
      const found = await json<(ShownKey & { endsSoon: boolean })[]>(['keys', 'list', '--name', 'äRGER', ...args]);
      return found.map(({ id, endsSoon }): [string, boolean] => [id, endsSoon]);
    };
    expect(Object.fromEntries(await filtered('--state', 'active'))).toEqual({ [soon]: true, [distant]: false });
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
  const iso = (minutes: number) => later(minutes).now.toISOString();
  const { id } = await create();
  await run(['keys', 'update', id, '--plan', 'premium'], later(1));
  await run(['keys', 'update', id, '--no-domains'], later(2));
  const { id: successor } = await json<ShownKey>(['keys', 'rotate', id], later(3));
  await run(['keys', 'revoke', id], later(4));
  const by = { createdBy: ME, changedBy: ME, rotatedBy: ME, revokedBy: ME };
  const times = { changedAt: iso(2), rotatedAt: iso(3), revokedAt: iso(4) };
  const plans = [{ since: '2026-11-21T12:00:00.000Z' }, { plan: 'premium', since: '2026-11-21T12:01:00.000Z' }];
  expect(await listedAs(id, later(5))).toMatchObject({ ...by, ...times, plans });
  const nothing = { changedBy: null, rotatedBy: null, revokedBy: null };
  expect(await listedAs(successor, later(5))).toMatchObject({ createdAt: iso(3), createdBy: ME, ...nothing });
  const { previous } = await json<{ previous: object }>(['keys', 'rotate', successor, '--overlap-days', '0'], later(6));
  expect(previous).toMatchObject({ rotatedAt: iso(6), rotatedBy: ME, revokedAt: iso(6), revokedBy: ME });
});

it('keys update binds a key to domains and addresses, unbinds it, puts it on another plan in the same write, and changes its last day', async () => {
  const { id } = await create();
  const update = (...options: string[]) => json(['keys', 'update', id, ...options]);
  expect(await update('--domains', 'A.example')).toMatchObject({ plan: 'free', domains: ['a.example'] });
  expect((await countedRun(['keys', 'update', id, '--no-domains', '--plan', 'premium'])).exitCode).toBe(0);
  expect(proxy().calls.map(({ operation }) => operation)).toEqual(['GetItem', 'PutItem']);
  expect(await listedAs(id)).toMatchObject({ plan: 'premium', domains: null });
  const { stdout } = await run(['keys', 'update', id, '--domains', 'a.example,b.example']);
  const facts = 'on plan premium, for content of a.example, b.example, from any address, and expires never';
  expect(stdout).toBe(`Key ${id} (Acme) is ${facts}.\n`);
  const bound = await run(['keys', 'update', id, '--addresses', '203.0.113.0/24,192.0.2.1']);
  expect(bound.stdout).toContain('from 203.0.113.0/24, 192.0.2.1, and');
  expect((await run(['keys', 'list'])).stdout).toMatch(/ 203\.0\.113\.0\/24 *\n +192\.0\.2\.1 *\n/);
  expect(await update('--no-addresses')).toMatchObject({ domains: ['a.example', 'b.example'], addresses: null });
  expect(await update('--expires', '2026-12-31')).toMatchObject({ expires: '2026-12-31' });
  expect(await update('--expires', 'never')).toMatchObject({ expires: null });
});

it('A key has a customer in lower case, which update changes or takes away, and which list and a rotation keep', async () => {
  const { id } = await create('--customer', 'ACME-1');
  expect(await listedAs(id)).toMatchObject({ customer: 'acme-1' });
  expect((await run(['keys', 'list'])).stdout).toMatch(new RegExp(`^${id} .*\\nAcme .*\\ncustomer\\nacme-1$`, 'm'));
  const update = (...options: string[]) => json(['keys', 'update', id, ...options]);
  expect(await update('--plan', 'standard')).toMatchObject({ customer: 'acme-1' });
  expect(await update('--no-customer')).toMatchObject({ customer: null, plan: 'standard' });
  const { stdout } = await run(['keys', 'update', id, '--customer', 'Acme']);
  expect(stdout).toContain(`Key ${id} (Acme) of customer acme is on plan standard,`);
  const { stdout: rotated } = await run(['keys', 'rotate', id]);
  expect(rotated).toContain('\ncustomer  acme\n');
  expect(await run(['keys', 'update', id, '--customer', 'b'])).toEqual(failure('and customer of its successor'));
});

it('Every command on keys names a damaged record and what to do about it', async () => {
  const id = 'd'.repeat(20);
  await store('keys', { id, plan: 'gold' });
  const sentence = `error: the stored record of key ${id} is damaged: docs/runbook.md#errorrate says how to replace it\n`;
  for (const args of [['list'], ['revoke', id], ['rotate', id], ['usage', id]]) {
    expect({ args, ...(await run(['keys', ...args])) }).toEqual({ args, ...failure(sentence) });
  }
  await engine().client.send(new DeleteCommand({ TableName: engine().names.keys, Key: { id } }));
});

it('A revoked key keeps the time at which it was revoked first, and is not updated any more', async () => {
  const { id } = await create();
  expect((await run(['keys', 'revoke', id])).stdout).toBe(`Key ${id} (Acme) was revoked at ${AT}.\n`);
  expect(await json(['keys', 'revoke', id], later(1))).toMatchObject({ id, state: 'revoked', revokedAt: AT });
  const sentence = `error: key ${id} was revoked at ${AT} and cannot be changed: create a new one with "keys create"\n`;
  expect(await run(['keys', 'update', id, '--plan', 'premium'])).toEqual(failure(sentence));
  expect(await listedAs(id)).toMatchObject({ plan: 'free', changedAt: null });
});

it('keys restore copies missing keys whole, changes none that is there, and reports what it cannot read', async () => {
  const { client, names } = engine();
  /** The table that a point-in-time restore creates, beside the live one. */
  const restored = (await otherTables()).names.keys;
  const [missing, kept, damaged] = [await create('--name', 'missing'), await create('--name', 'kept'), 'f'.repeat(20)];
  await run(['keys', 'revoke', missing.id]);
  const { Items = [] } = await client.send(new ScanCommand({ TableName: names.keys }));
  const backedUp = Items.filter(({ id }) => [missing.id, kept.id].includes(id));
  await storeItems(client, restored, backedUp);
  await run(['keys', 'revoke', kept.id]);
  await client.send(new DeleteCommand({ TableName: names.keys, Key: { id: missing.id } }));

  const restore = ['keys', 'restore', '--from', restored];
  const { exitCode, stdout } = await run(restore);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(new RegExp(`^${missing.id} +missing +restored$`, 'm'));
  expect(stdout).toMatch(new RegExp(`^${kept.id} +kept +already there$`, 'm'));
  expect(stdout).toMatch(/^Restored: 1\. Already there and not changed: 1\.$/m);
  const { get } = keyStore(client, names.keys);
  const whole = { name: 'missing', environment: 'live', revokedAt: AT, changeNumber: 3 };
  expect(await get(missing.id)).toMatchObject(whole);
  expect(await get(kept.id)).toMatchObject({ revokedAt: AT });
  await storeItems(client, restored, [{ id: damaged, plan: 'gold' }]);
  const unreadable = expect.stringMatching(/not changed: 2\. Unreadable and not restored: 1\.$/m);
  expect(await run(restore)).toMatchObject({ exitCode: 1, stdout: unreadable });
  await expect(get(damaged)).rejects.toThrow('no key has the id');
});
