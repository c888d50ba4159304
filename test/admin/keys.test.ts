import { describe, expect, it } from '@jest/globals';
import { hashKey, keyIdOf } from '../../core/access/api-key.ts';
import { windowAt } from '../../core/access/plans.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import { always, type ChooseFault, forOperation, onNthCall } from '../support/fault-choosers.ts';
import { commandLine, failure, NOW, runCommand } from './command-line.ts';

const { run, json, countedRun, proxy, engine } = commandLine();

interface ShownKey {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsed: string | null;
}

const CREATE = ['keys', 'create', '--plan', 'free', '--name'];
const create = (...args: string[]) => json<ShownKey>([...CREATE, 'Acme', ...args]);
const listed = (options = {}) => json<ShownKey[]>(['keys', 'list'], options);
const listedAs = async (id: string, options = {}) => (await listed(options)).find((key) => key.id === id);
/** Counts requests of a key, some milliseconds ago. */
const count = async (id: string, requests = 1, agoMs = 0): Promise<void> => {
  const usage = usageTable(engine().client, engine().names.usage);
  for (let sent = 0; sent < requests; sent += 1) await usage.increment(id, windowAt(new Date(NOW.getTime() - agoMs)));
};
const HOUR_MS = 3_600_000;

describe('keys create', () => {
  it('shows one JSON object with the key, once; domains in lower case', async () => {
    const domains = ['--domains', 'B.example, a.example,b.EXAMPLE'];
    const settings = ['--scopes', 'content:read,vehicles:read', '--expires', '2026-11-21', ...domains];
    const created = await create(...settings);
    expect(created).toEqual({
      ...{ id: keyIdOf(hashKey(created.key)), key: expect.stringMatching(/^vvc_live_/), environment: 'live' },
      ...{ name: 'Acme', plan: 'free', scopes: ['vehicles:read', 'content:read'], domains: ['b.example', 'a.example'] },
      ...{ state: 'active', createdAt: NOW.toISOString(), expires: '2026-11-21', revokedAt: null },
      ...{ follows: null, successor: null },
    });
  });

  it('shows readable text, with the key on its own line', async () => {
    const { stdout } = await run([...CREATE, 'Ada', '--env', 'test', '--domains', 'a.example,b.example']);
    expect(stdout).toMatch(/^ +vvc_test_[0-9A-Za-z]{36}$/m);
    expect(stdout).toMatch(/shown only this once/);
    expect(stdout).toMatch(/^domains {2}a\.example, b\.example$/m);
  });

  const NAMED = ['--plan', 'free', '--name'];
  const fiftyOne = Array.from({ length: 51 }, (_, index) => `a${index}.example`).join(',');
  it.each([
    ['an unknown plan', ['--name', 'A', '--plan', 'gold'], /free, standard, premium/],
    ['no name', ['--plan', 'free'], /--name/],
    ['a blank name', [...NAMED, ' '], /1 to 100 characters/],
    ['a long name', [...NAMED, 'x'.repeat(101)], /1 to 100 characters/],
    ['a name that moves the cursor', [...NAMED, 'a\u001b[2J'], /control characters/],
    ['an unknown scope', [...NAMED, 'A', '--scopes', 'all'], /vehicles:read, compliance:read/],
    ['a domain with a scheme', [...NAMED, 'A', '--domains', 'https://a.example'], /a\.example,b\.example/],
    ['a wildcard for domains', [...NAMED, 'A', '--domains', '*.example'], /whole domains/],
    ['no domain', [...NAMED, 'A', '--domains', ''], /a\.example,b\.example/],
    ['too many domains', [...NAMED, 'A', '--domains', fiftyOne], /at most 50 domains/],
    ['a day that does not exist', [...NAMED, 'A', '--expires', '2026-02-30'], /YYYY-MM-DD/],
    ['an unknown option', ['--nmae', 'A', '--plan', 'free'], /unknown option '--nmae'; did you mean --name\? See/],
  ])('rejects %s with one sentence', async (_case, args, sentence) => {
    const result = await run(['keys', 'create', ...args]);
    expect(result).toEqual(failure(sentence));
    expect(result.stderr).toMatch(/^error: \P{Cc}* [Ss]ee --help\n$/u);
  });

  it('rejects a day in the past, suggests today and creates nothing', async () => {
    const { stderr } = await run([...CREATE, 'Old', '--expires', '2026-11-20', '--json']);
    const remedy = 'use --expires 2026-11-21 (today, Europe/London) or a later day, or leave it out';
    expect(JSON.parse(stderr)).toEqual({ error: `2026-11-20 is in the past: ${remedy}`, exitCode: 2 });
    expect((await listed()).filter(({ name }) => name === 'Old')).toEqual([]);
  });

  const createLosing = async (name: string, choose: ChooseFault) => {
    proxy().inject(forOperation('PutItem', choose));
    const result = await countedRun([...CREATE, name, '--json']);
    return { ...result, stored: (await listed()).filter((key) => key.name === name).map(({ id }) => id) };
  };

  it.each([
    ['the first', onNthCall(1, 'resetAfter')],
    ['the first, cut in the middle', onNthCall(1, 'truncate')],
    ['every one to a write', always('resetAfter')],
  ])('shows the key that was stored when a response of the database is lost: %s', async (name, choose) => {
    const { exitCode, stdout, stderr, stored } = await createLosing(name, choose);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { id, key } = JSON.parse(stdout) as ShownKey;
    expect([keyIdOf(hashKey(key)), stored]).toEqual([id, [id]]);
  });

  it('reports an error, and shows no key, when nothing was stored', async () => {
    const { stored, ...result } = await createLosing('None', always('deny'));
    expect([result, stored]).toEqual([failure(/the database at .* answered with AccessDeniedException"/), []]);
  });
});

describe('keys list', () => {
  it('shows the oldest key first', async () => {
    for (const minute of [30, 10, 50, 20, 40, 0]) {
      await run([...CREATE, 'Acme'], { now: new Date(NOW.getTime() - minute * 60_000) });
    }
    const ages = (await listed()).map(({ createdAt }) => createdAt);
    expect(ages).toEqual(ages.toSorted());
  });

  it('shows the state of every key, and never a key or a hash', async () => {
    const { id, key } = await create();
    const old = await create('--expires', '2026-11-21');
    await run(['keys', 'revoke', id]);
    const tomorrow = { now: new Date('2026-11-22T12:00:00Z') };
    expect(await listedAs(id, tomorrow)).toMatchObject({ state: 'revoked', revokedAt: NOW.toISOString() });
    expect(await listedAs(old.id, tomorrow)).toMatchObject({ state: 'expired' });
    const { stdout } = await run(['keys', 'list'], tomorrow);
    expect(stdout).toMatch(new RegExp(`^${old.id} +Acme +free +expired`, 'm'));
    for (const text of [JSON.stringify(await listed()), stdout]) {
      for (const secret of [key, hashKey(key)]) expect(text).not.toContain(secret);
    }
  });

  it('fits 100 columns, whatever the names, scopes and domains', async () => {
    await create('--name', 'x'.repeat(100), '--expires', '2026-11-21');
    await create('--name', '車両'.repeat(20), '--scopes', 'compliance:read,content:read,content:write');
    await create('--domains', `a.example,${'b'.repeat(60)}.example`);
    const { stdout } = await run(['keys', 'list']);
    // Each of these characters takes two columns.
    for (const line of stdout.split('\n')) expect(line.replace(/[車両]/g, 'xx').length).toBeLessThanOrEqual(100);
  });

  it('shows the minute in which each key was last used, if that was in the last 25 hours', async () => {
    const [now, yesterday, before] = [await create(), await create(), await create()];
    for (const agoMs of [0, 60_000, HOUR_MS]) await count(now.id, 1, agoMs);
    await count(yesterday.id, 1, 25 * HOUR_MS - 60_000);
    await count(before.id, 1, 25 * HOUR_MS + 60_000);
    expect(await listedAs(now.id)).toMatchObject({ lastUsed: '2026-11-21T12:00:00.000Z' });
    expect(await listedAs(yesterday.id)).toMatchObject({ lastUsed: '2026-11-20T11:01:00.000Z' });
    expect(await listedAs(before.id)).toMatchObject({ lastUsed: null });
    const { stdout } = await run(['keys', 'list']);
    expect(stdout).toMatch(new RegExp(`^${now.id} .* 2026-11-21\n +live .* 12:00$`, 'm'));
    expect(stdout).toMatch(new RegExp(`^${before.id} .* not in 25 h$`, 'm'));
  });
});

describe('keys revoke, update and usage', () => {
  it('bind a key to domains, unbind it, and put it on another plan in the same write', async () => {
    const { id } = await create();
    const update = (...options: string[]) => json(['keys', 'update', id, ...options]);
    expect(await update('--domains', 'A.example')).toMatchObject({ plan: 'free', domains: ['a.example'] });
    expect((await countedRun(['keys', 'update', id, '--no-domains', '--plan', 'premium'])).exitCode).toBe(0);
    expect(proxy().calls.map(({ operation }) => operation)).toEqual(['UpdateItem']);
    expect(await listedAs(id)).toMatchObject({ plan: 'premium', domains: null });
    const { stdout } = await run(['keys', 'update', id, '--domains', 'a.example,b.example']);
    expect(stdout).toBe(`Key ${id} (Acme) is on plan premium, for content of a.example, b.example.\n`);
  });

  it.each([
    ['nothing to change', [], 'one of --plan, --domains and --no-domains is missing; see --help'],
    ['contradicting options', ['--domains', 'a.example', '--no-domains'], 'contradict each other: write one of them'],
    ['the same, the other way round', ['--no-domains', '--domains', 'a.example'], 'contradict each other'],
    ['a domain of the wrong form', ['--domains', 'a..example'], 'such as a.example,b.example'],
  ])('reject an update with %s with one sentence, and change nothing', async (_case, options, sentence) => {
    const { id } = await create('--domains', 'first.example');
    expect(await run(['keys', 'update', id, ...options])).toEqual(failure(sentence));
    expect(await listedAs(id)).toMatchObject({ domains: ['first.example'] });
  });

  it('keep the first time when a key is revoked twice', async () => {
    const { id } = await create();
    await run(['keys', 'revoke', id]);
    const again = await run(['keys', 'revoke', id], { now: new Date('2027-01-01T00:00:00Z') });
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(NOW.toISOString()) });
  });

  it.each([
    ['revoke', []],
    ['rotate', []],
    ['usage', []],
    ['update', ['--plan', 'free']],
  ])('reject an unknown id, and never print a key that was passed as an id: keys %s', async (command, options) => {
    const unknown = await run(['keys', command, '0'.repeat(20), ...options]);
    expect(unknown).toEqual(failure(`error: no key has the id ${'0'.repeat(20)}\n`));
    const { key } = await create();
    const result = await run(['keys', command, key, ...options]);
    expect(result).toEqual(failure('20 hexadecimal digits'));
    expect(result.stderr).not.toContain(key);
  });

  it('count the requests of the current window with the limit, and start again in the next one', async () => {
    const { id } = await create();
    await count(id, 3);
    const { hours, ...shown } = await json<{ hours: object[] }>(['keys', 'usage', id]);
    expect(shown).toEqual({ id, plan: 'free', count: 3, limit: 60, reset: windowAt(NOW).end });
    expect([hours.length, hours[23]]).toMatchObject([24, { requests: 3, rateLimited: 0 }]);
    const next = await run(['keys', 'usage', id], { now: new Date(NOW.getTime() + 60_000) });
    expect(next.stdout).toContain('0 of 60 requests');
  });

  it('say "at least" once functions may have stopped counting, at twice the limit', async () => {
    const { id } = await create();
    await count(id, 119);
    expect((await run(['keys', 'usage', id])).stdout).toContain(': 119 of 60 requests');
    await count(id);
    expect((await run(['keys', 'usage', id])).stdout).toContain(': at least 120 of 60 requests');
  });

  it('draw the requests of the last 24 hours as a bar chart', async () => {
    const { id } = await create();
    await count(id, 62, HOUR_MS);
    await count(id, 31);
    const lines = (await run(['keys', 'usage', id])).stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(27);
    expect(lines.at(-2)).toMatch(/^11:00 +62 +2 +█{50}$/);
    expect(lines.at(-1)).toMatch(/^12:00 +31 +0 +█{25}$/);
  });
});

describe('Global options', () => {
  it('are not needed for an engine on another port, which DYNAMODB_PORT names as for npm start', async () => {
    const { endpoint, names } = engine();
    const list = (port: string) => runCommand(['keys', 'list'], names, { env: { DYNAMODB_PORT: port } });
    expect(await list(new URL(endpoint).port)).toMatchObject({ exitCode: 0 });
    const sentence = 'error: DYNAMODB_PORT must be a port number from 1 to 65535, not "eighty"\n';
    expect(await list('eighty')).toEqual(failure(sentence));
  });

  it('are rejected with one sentence when the address is invalid or the database lacks the tables', async () => {
    const result = await runCommand(['keys', 'list', '--dynamodb', 'localhost'], engine().names);
    expect(result).toEqual(failure(/^error: .* takes the address.*\n$/));
    expect(await run(['keys', 'list', '--tables', 'nobody-'])).toEqual(failure('does not have the tables'));
  });
});
