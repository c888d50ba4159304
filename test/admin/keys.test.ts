import { describe, expect, it } from '@jest/globals';
import { hashKey, isWellFormedKey, keyIdOf } from '../../functions/access/api-key.ts';
import { windowAt } from '../../functions/access/plans.ts';
import { usageTable } from '../../functions/access/usage-table.ts';
import { always, type ChooseFault, forOperation, onNthCall } from '../support/fault-choosers.ts';
import { commandLine, failure, NOW, runCommand } from './command-line.ts';

const { run, countedRun, proxy, engine } = commandLine();

const CREATE = ['keys', 'create', '--plan', 'free', '--json', '--name'];
const create = async (...args: string[]) =>
  JSON.parse((await run([...CREATE, 'Acme', ...args])).stdout) as { id: string; key: string };
const listed = async (options?: Parameters<typeof run>[1]) =>
  JSON.parse((await run(['keys', 'list', '--json'], options)).stdout) as { id: string; name: string; state: string }[];

describe('keys create', () => {
  it('shows one JSON object with the key, once', async () => {
    const created = await create('--scopes', 'content:read,vehicles:read', '--expires', '2026-11-21');
    expect(created).toEqual({
      id: keyIdOf(hashKey(created.key)),
      key: expect.stringMatching(/^vvc_live_/),
      environment: 'live',
      name: 'Acme',
      plan: 'free',
      scopes: ['vehicles:read', 'content:read'],
      state: 'active',
      createdAt: NOW.toISOString(),
      expires: '2026-11-21',
      revokedAt: null,
    });
    expect(isWellFormedKey(created.key)).toBe(true);
  });

  it('shows a block that people can read, with the key on a line of its own', async () => {
    const { stdout } = await run(['keys', 'create', '--name', 'Ada', '--plan', 'premium', '--env', 'test']);
    expect(stdout).toMatch(/^ +vvc_test_[0-9A-Za-z]{36}$/m);
    expect(stdout).toMatch(/shown only this once/);
  });

  it.each([
    ['an unknown plan', ['--name', 'A', '--plan', 'gold'], /free, standard, premium/],
    ['no plan', ['--name', 'A'], /--plan/],
    ['no name', ['--plan', 'free'], /--name/],
    ['a blank name', ['--name', ' ', '--plan', 'free'], /1 to 100 characters/],
    ['a long name', ['--name', 'x'.repeat(101), '--plan', 'free'], /1 to 100 characters/],
    ['a name that moves the cursor', ['--name', 'a\u001b[2J', '--plan', 'free'], /control characters/],
    ['an unknown scope', ['--name', 'A', '--plan', 'free', '--scopes', 'all'], /vehicles:read, compliance:read/],
    ['a day that does not exist', ['--name', 'A', '--plan', 'free', '--expires', '2026-02-30'], /YYYY-MM-DD/],
    ['an unknown option', ['--nmae', 'A', '--plan', 'free'], /unknown option '--nmae'; did you mean --name\? See/],
  ])('rejects %s with one sentence', async (_case, args, sentence) => {
    const result = await run(['keys', 'create', ...args]);
    expect(result).toEqual(failure(sentence));
    expect(result.stderr).toMatch(/^error: \P{Cc}* [Ss]ee --help\n$/u);
  });

  it('rejects a day that is over with what to write instead, and creates nothing', async () => {
    const { stderr } = await run([...CREATE, 'Old', '--expires', '2026-11-20']);
    const remedy = 'write --expires 2026-11-21 (today, Europe/London) or a later day, or leave it out';
    expect(JSON.parse(stderr)).toEqual({ error: `2026-11-20 is over: ${remedy}`, exitCode: 2 });
    expect((await listed()).filter(({ name }) => name === 'Old')).toEqual([]);
  });

  const createLosing = async (name: string, choose: ChooseFault) => {
    proxy().inject(forOperation('PutItem', choose));
    const result = await countedRun([...CREATE, name]);
    return { ...result, stored: (await listed()).filter((key) => key.name === name).map(({ id }) => id) };
  };

  it.each([
    ['the first', onNthCall(1, 'resetAfter')],
    ['the first, cut in the middle', onNthCall(1, 'truncate')],
    ['every one to a write', always('resetAfter')],
  ])('shows the key that was stored when a response of the database is lost: %s', async (name, choose) => {
    const { exitCode, stdout, stderr, stored } = await createLosing(name, choose);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { id, key } = JSON.parse(stdout) as { id: string; key: string };
    expect([keyIdOf(hashKey(key)), stored]).toEqual([id, [id]]);
  });

  it('reports an error, and shows no key, when nothing was stored', async () => {
    const { stored, ...result } = await createLosing('None', always('deny'));
    expect(result).toEqual(failure(/the database at .* answered with AccessDeniedException"/));
    expect(stored).toEqual([]);
  });
});

describe('keys list', () => {
  it('shows the state of every key, and never a key or a hash', async () => {
    const { id, key } = await create();
    const old = await create('--expires', '2026-11-21');
    await run(['keys', 'revoke', id]);
    const tomorrow = { now: new Date('2026-11-22T12:00:00Z') };
    const json = await listed(tomorrow);
    expect(json.find((entry) => entry.id === id)).toMatchObject({ state: 'revoked', revokedAt: NOW.toISOString() });
    expect(json.find((entry) => entry.id === old.id)).toMatchObject({ state: 'expired' });
    const { stdout } = await run(['keys', 'list'], tomorrow);
    expect(stdout).toMatch(new RegExp(`^${old.id} +Acme +free +expired`, 'm'));
    for (const text of [JSON.stringify(json), stdout]) {
      expect(text).not.toContain(key);
      expect(text).not.toContain(hashKey(key));
    }
  });

  it('fits 100 columns, whatever the names and scopes', async () => {
    await create('--name', 'x'.repeat(100), '--plan', 'standard', '--expires', '2026-11-21');
    await create('--name', '車両'.repeat(20), '--scopes', 'compliance:read,content:read,content:write');
    const { stdout } = await run(['keys', 'list']);
    expect(stdout).toContain(`${'x'.repeat(17)}…  standard  active   all  `);
    expect(stdout).toMatch(/両… +free +active +compliance:read .*\n +content:read\n +content:write\n/);
    // Each of these characters takes two columns.
    for (const line of stdout.split('\n')) expect(line.replace(/[車両]/g, 'xx').length).toBeLessThanOrEqual(100);
  });
});

describe('keys revoke, update and usage', () => {
  it('put a key on another plan', async () => {
    const { id } = await create();
    expect(await run(['keys', 'update', id, '--plan', 'premium'])).toMatchObject({ exitCode: 0 });
    expect((await run(['keys', 'usage', id])).stdout).toContain('0 of 6000');
  });

  it('keep the first moment when a key is revoked twice', async () => {
    const { id } = await create();
    await run(['keys', 'revoke', id]);
    const again = await run(['keys', 'revoke', id], { now: new Date('2027-01-01T00:00:00Z') });
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(NOW.toISOString()) });
  });

  it.each([
    ['revoke', []],
    ['usage', []],
    ['update', ['--plan', 'free']],
  ])(
    'reject an id that no key has, and never repeat a key that was given for one: keys %s',
    async (command, options) => {
      const unknown = await run(['keys', command, '0'.repeat(20), ...options]);
      expect(unknown).toEqual({ exitCode: 2, stdout: '', stderr: `error: no key has the id ${'0'.repeat(20)}\n` });
      const { key } = await create();
      const result = await run(['keys', command, key, ...options]);
      expect(result).toEqual(failure('20 hexadecimal digits'));
      expect(result.stderr).not.toContain(key);
    },
  );

  it('count the requests of this window beside the limit, and start again in the next one', async () => {
    const { id } = await create();
    const usage = usageTable(engine().client, engine().names.usage);
    await Promise.all([1, 2, 3].map(() => usage.increment(id, windowAt(NOW))));
    const { stdout } = await run(['keys', 'usage', id, '--json']);
    const { hours, ...shown } = JSON.parse(stdout);
    expect(shown).toEqual({ id, plan: 'free', count: 3, limit: 60, reset: windowAt(NOW).end });
    expect(hours).toHaveLength(24);
    expect(hours[23]).toMatchObject({ requests: 3, rateLimited: 0 });
    const next = await run(['keys', 'usage', id], { now: new Date(NOW.getTime() + 60_000) });
    expect(next.stdout).toContain('0 of 60 requests');
  });
});

describe('keys usage', () => {
  it('draws the requests of the last 24 hours as a bar chart', async () => {
    const { id } = await create();
    const usage = usageTable(engine().client, engine().names.usage);
    const hourAgo = windowAt(new Date(NOW.getTime() - 3_600_000));
    for (let sent = 0; sent < 62; sent += 1) await usage.increment(id, hourAgo);
    for (let sent = 0; sent < 31; sent += 1) await usage.increment(id, windowAt(NOW));
    const { stdout } = await run(['keys', 'usage', id]);
    const lines = stdout.trimEnd().split('\n');
    const hourOf = (window: { start: number }) => new Date(window.start * 1_000).toISOString().slice(11, 13);
    expect(lines).toHaveLength(27);
    expect(lines.at(-2)).toMatch(new RegExp(`^${hourOf(hourAgo)}:00 +62 +2 +█{50}$`));
    expect(lines.at(-1)).toMatch(new RegExp(`^${hourOf(windowAt(NOW))}:00 +31 +0 +█{25}$`));
  });
});

describe('Global options', () => {
  it('work before and after the command', async () => {
    const { endpoint, names } = engine();
    const before = await runCommand(['--dynamodb', endpoint, 'keys', 'list', '--json'], names);
    expect(before.exitCode).toBe(0);
    const args = ['keys', 'list', '--json', '--tables', names.keys.replace(/keys$/, ''), `--dynamodb=${endpoint}`];
    expect(await runCommand(args, { ...names, keys: 'nowhere' })).toEqual(before);
  });

  it('are not needed for an engine on another port, which DYNAMODB_PORT names as for npm start', async () => {
    const { endpoint, names } = engine();
    const dynamodbPort = new URL(endpoint).port;
    expect(await runCommand(['keys', 'list'], names, { dynamodbPort })).toMatchObject({ exitCode: 0 });
    const result = await runCommand(['keys', 'list'], names, { dynamodbPort: 'eighty' });
    expect(result).toEqual(failure('error: DYNAMODB_PORT must be a port number from 1 to 65535, not "eighty"\n'));
  });

  it('are rejected with one sentence when they name no address, or a database without the tables', async () => {
    const result = await runCommand(['keys', 'list', '--dynamodb', 'localhost'], engine().names);
    expect(result).toEqual(failure(/^error: .* takes the address.*\n$/));
    expect(await run(['keys', 'list', '--tables', 'nobody-'])).toEqual(failure('does not have the tables'));
  });
});
