import { userInfo } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { keyStore } from '../../../admin/keys/key-store.ts';
import { hashKey, keyIdOf, newApiKey } from '../../../core/access/api-key.ts';
import { always, forOperation, onNthCall } from '../../support/fault-choosers.ts';
import { failure, NOW, useAdmin } from '../../support/use-admin.ts';

/** `NOW` is 2026-11-21 in London: seven days later. */
const IN_A_WEEK = '2026-11-28';

const { run, json, countedRun, proxy, engine, store } = useAdmin();

type Rotation = Readonly<{ id: string; key: string; previous: object }>;

const keys = () => keyStore(engine().client, engine().names.keys);
const CREATE = ['keys', 'create', '--name', 'Acme', '--plan', 'standard'];
const create = async (...args: string[]): Promise<string> => (await json<Rotation>([...CREATE, ...args])).id;
const rotate = (id: string, ...args: string[]) => json<Rotation>(['keys', 'rotate', id, ...args]);

describe('keys rotate', () => {
  it('gives the successor every field of the old key but identity and dates, also a field of a later version', async () => {
    const texts = { name: 'Acme', plan: 'free', customer: 'acme', environment: 'test', expires: '2026-12-31' };
    const lists = { scopes: ['content:read'], domains: ['a.example'], addresses: ['192.0.2.1'] };
    const kept = { ...texts, ...lists, fieldOfLaterVersion: 'text' };
    const [at, by] = ['2026-01-01T00:00:00.000Z', 'somebody'];
    const dates = { createdAt: at, changedAt: at, rotatedAt: at, plans: [{ plan: 'free', since: 7 }], changeNumber: 7 };
    const own = { hash: 'h', createdBy: by, changedBy: by, rotatedBy: by, revokedBy: by, follows: 'second', ...dates };
    const old = { id: '5'.repeat(20), firstKeyId: 'first' };
    await store('keys', { ...kept, ...own, ...old });
    const { id, key } = await rotate(old.id);
    const created = { createdAt: NOW.toISOString(), createdBy: userInfo().username, changeNumber: 1 };
    const identity = { id, hash: hashKey(key), follows: old.id, firstKeyId: old.firstKeyId };
    expect(await keys().get(id)).toEqual({ ...kept, ...created, ...identity });
  });

  it('shows the key of the successor, of the same environment, and ends the old key in 7 days for good', async () => {
    const old = await create('--env', 'test');
    const { id, key, previous } = await rotate(old);
    expect(key).toMatch(/^vvc_test_/);
    expect(keyIdOf(hashKey(key), 'live')).toEqual(id);
    expect(await keys().get(old)).toMatchObject({ expires: IN_A_WEEK, successor: id });
    expect(previous).toMatchObject({ id: old, state: 'active', expires: IN_A_WEEK, successor: id });
    expect(await run(['keys', 'update', old, '--expires', 'never'])).toEqual(failure(`of its successor ${id} instead`));
    const third = await rotate(id);
    expect(await keys().get(third.id)).toMatchObject({ follows: id, firstKeyId: old });
  });

  it('shows the successor as readable text, and when the old key ends', async () => {
    const addresses = ['--addresses', '203.0.113.0/24,2001:db8::/32'];
    const old = await create('--expires', '2026-12-31', '--domains', 'a.example,b.example', ...addresses);
    const { stdout } = await run(['keys', 'rotate', old]);
    const shown =
      /^New API key of Acme:\n\n +vvc_live_[0-9A-Za-z]{36}\n\nStore it now: .*once\.\n\nid {9}[0-9a-f]{20}\n/;
    expect(stdout).toMatch(shown);
    expect(stdout).toContain('domains    a.example, b.example\naddresses  203.0.113.0/24, 2001:db8::/32\n');
    expect(stdout).toContain('expires    after 2026-12-31 (Europe/London)\n');
    expect(stdout).toContain(`follows    ${old}, which is valid through ${IN_A_WEEK} (Europe/London)\n`);
  });

  it.each([
    ['2027-12-31', '2027-12-31'],
    ['never', undefined],
  ])('gives a successor the last day of --expires %s', async (given, expires) => {
    const { id } = await rotate(await create('--expires', '2026-12-31'), '--expires', given);
    expect((await keys().get(id))?.expires).toBe(expires);
  });

  it.each([
    ['1', [], NOW, '2026-11-22'],
    ['365', [], NOW, '2027-11-21'],
    ['7', ['--expires', '2026-11-25'], NOW, '2026-11-25'],
    // The day in London.
    ['1', [], new Date('2027-06-30T23:30:00Z'), '2027-07-02'],
  ])('with %s days of overlap ends a key with %j on %s after %s', async (days, expires, now, lastDay) => {
    const old = await create(...expires);
    await run(['keys', 'rotate', old, '--overlap-days', days], { now });
    expect(await keys().get(old)).toMatchObject({ expires: lastDay });
  });

  it('without an overlap revokes the old key at once', async () => {
    const old = await create('--expires', '2026-12-31');
    const { stdout } = await run(['keys', 'rotate', old, '--overlap-days', '0']);
    expect(stdout).toContain(`follows  ${old}, which was revoked at ${NOW.toISOString()}\n`);
    expect(await keys().get(old)).toMatchObject({ revokedAt: NOW.toISOString(), expires: '2026-12-31' });
  });

  it('rejects a key that was rotated, revoked or has expired, and names what to use instead', async () => {
    const [old, revoked, expired] = [await create(), await create(), await create('--expires', '2026-11-21')];
    const { id } = await rotate(old);
    await run(['keys', 'revoke', revoked]);
    const tomorrow = { now: new Date('2026-11-22T12:00:00Z') };
    const stored = await keys().list();
    const instead = 'and cannot be rotated: create a new one with "keys create"\n';
    for (const [key, sentence] of [
      [old, `was already rotated: rotate its successor ${id} instead\n`],
      [revoked, `was revoked at ${NOW.toISOString()} ${instead}`],
      [expired, `expired at the end of 2026-11-21 ${instead}`],
    ] as const) {
      expect(await run(['keys', 'rotate', key], tomorrow)).toEqual(failure(`error: key ${key} ${sentence}`));
    }
    expect(await keys().list()).toEqual(stored);
  });
});

it('A rotation changes nothing when its key has changed since it was read', async () => {
  const read = await keys().get(await create());
  const changed = await keys().update(read.id, { plan: 'premium' }, { by: 'tester', at: NOW });
  const successor = { ...read, ...newApiKey('live') };
  await expect(keys().rotate(read, { expires: IN_A_WEEK }, successor)).rejects.toThrow('was changed meanwhile');
  expect(await keys().get(read.id)).toEqual(changed);
  await expect(keys().get(successor.id)).rejects.toThrow('no key has the id');
});

describe.each([
  ['keys create', 'PutItem', async () => CREATE],
  ['keys rotate', 'TransactWriteItems', async () => ['keys', 'rotate', await create()]],
])('%s', (_command, operation, argumentsOf) => {
  it('shows the one key that was stored when the response of the database was lost', async () => {
    const args = await argumentsOf();
    const before = (await keys().list()).map(({ id }) => id);
    proxy().inject(forOperation(operation, onNthCall(1, 'resetAfter')));
    const { id, key } = JSON.parse((await countedRun([...args, '--json'])).stdout) as Rotation;
    expect(keyIdOf(hashKey(key), 'live')).toBe(id);
    expect((await keys().list()).filter((one) => !before.includes(one.id))).toMatchObject([{ id }]);
  });

  it('shows no key and changes nothing when nothing was stored', async () => {
    const args = await argumentsOf();
    const before = await keys().list();
    proxy().inject(forOperation(operation, always('deny')));
    expect(await countedRun(args)).toEqual(failure(/the database at .* answered with AccessDeniedException/));
    expect(await keys().list()).toEqual(before);
  });
});
