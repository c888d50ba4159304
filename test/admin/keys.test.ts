import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { hashKey, isWellFormedKey, keyIdOf } from '../../functions/access/api-key.ts';
import { windowAt } from '../../functions/access/plans.ts';
import { usageTable } from '../../functions/access/usage-table.ts';
import { always, type ChooseFault, forOperation, onNthCall } from '../support/fault-choosers.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { commandLine, NOW, runCommand } from './command-line.ts';

const { run, engine } = commandLine();

const create = async (...args: string[]) => {
  const { stdout } = await run(['keys', 'create', '--name', 'Acme', '--plan', 'free', '--json', ...args]);
  return JSON.parse(stdout) as { id: string; key: string; name: string; plan: string; scopes: string[] };
};

describe('keys create', () => {
  it('shows one JSON object with the key, once', async () => {
    const created = await create('--scopes', 'content:read,vehicles:read', '--expires', '2026-11-21');
    expect(created).toEqual({
      id: keyIdOf(hashKey(created.key)),
      key: expect.stringMatching(/^vvc_live_/),
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
    const { stdout, stderr, exitCode } = await run([
      'keys',
      'create',
      '--name',
      'Ada',
      '--plan',
      'premium',
      '--env',
      'test',
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
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
    ['an unknown option', ['--name', 'A', '--plan', 'free', '--colour', 'red'], /--colour/],
  ])('rejects %s with a sentence and the usage', async (_case, args, sentence) => {
    const { exitCode, stdout, stderr } = await run(['keys', 'create', ...args]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr).toMatch(/^error: .*\n\nUsage: admin keys create/m);
    expect(stderr).not.toMatch(/ {4}at /);
  });
});

describe('keys list', () => {
  it('shows the state of every key, and never a key or a hash', async () => {
    const { id, key } = await create();
    const old = await create('--expires', '2026-11-21');
    await run(['keys', 'revoke', id]);
    const tomorrow = { now: new Date('2026-11-22T12:00:00Z') };
    const json = await run(['keys', 'list', '--json'], tomorrow);
    const listed = JSON.parse(json.stdout) as { id: string; state: string }[];
    expect(listed.find((entry) => entry.id === id)).toMatchObject({ state: 'revoked', revokedAt: NOW.toISOString() });
    expect(listed.find((entry) => entry.id === old.id)).toMatchObject({ state: 'expired' });
    const table = await run(['keys', 'list'], tomorrow);
    expect(table.stdout).toMatch(new RegExp(`^${old.id} +Acme +free +expired`, 'm'));
    for (const { stdout } of [json, table]) {
      expect(stdout).not.toContain(key);
      expect(stdout).not.toContain(hashKey(key));
    }
  });
});

describe('keys revoke and update', () => {
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

  it.each([['revoke'], ['usage'], ['update', '--plan', 'free']])(
    'say that no key has the id: keys %s',
    async (...args) => {
      const [command = '', ...options] = args;
      const result = await run(['keys', command, '0'.repeat(20), ...options]);
      expect(result).toEqual({ exitCode: 2, stdout: '', stderr: `error: no key has the id ${'0'.repeat(20)}\n` });
    },
  );

  it('never repeat a key that was given for its id', async () => {
    const { key } = await create();
    const result = await run(['keys', 'revoke', key]);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toMatch(/20 hexadecimal digits/);
    expect(result.stderr).not.toContain(key);
  });
});

describe('keys usage', () => {
  let id: string;
  beforeAll(async () => {
    ({ id } = await create());
    const usage = usageTable(engine().client, engine().names.usage);
    await Promise.all([1, 2, 3].map(() => usage.increment(id, windowAt(NOW))));
  });

  it('counts the requests of this window beside the limit', async () => {
    const { stdout } = await run(['keys', 'usage', id, '--json']);
    expect(JSON.parse(stdout)).toEqual({ id, plan: 'free', count: 3, limit: 60, reset: windowAt(NOW).end });
  });

  it('starts again in the next window', async () => {
    const { stdout } = await run(['keys', 'usage', id], { now: new Date(NOW.getTime() + 60_000) });
    expect(stdout).toContain('0 of 60 requests');
  });
});

describe('global options', () => {
  it('work before the command as well', async () => {
    const { endpoint, names } = engine();
    const before = await runCommand(['--dynamodb', endpoint, 'keys', 'list', '--json'], names);
    expect(before.exitCode).toBe(0);
    const prefix = names.keys.replace(/keys$/, '');
    const after = await runCommand(['keys', 'list', '--json', '--tables', prefix, `--dynamodb=${endpoint}`], {
      ...names,
      keys: 'nowhere',
    });
    expect(after).toEqual(before);
  });

  it('answer an address that is none with one sentence', async () => {
    const result = await runCommand(['keys', 'list', '--dynamodb', 'localhost'], engine().names);
    expect(result).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: .* takes the address.*\n$/),
    });
  });

  it('name the missing tables of a database that is not ours', async () => {
    const result = await run(['keys', 'list', '--tables', 'nobody-']);
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/does not have the tables/) });
  });
});

describe('keys create with a day that is over', () => {
  it('is rejected with what to write instead, and creates nothing', async () => {
    const result = await run([
      'keys',
      'create',
      '--name',
      'Old',
      '--plan',
      'free',
      '--expires',
      '2026-11-20',
      '--json',
    ]);
    expect(result).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'error: 2026-11-20 is over: write --expires 2026-11-21 (today, Europe/London) or a later day, or leave it out\n',
    });
    expect((await run(['keys', 'list'])).stdout).not.toContain('Old');
  });
});

describe('keys create when responses of the database are lost', () => {
  let proxy: FaultProxy;
  beforeAll(async () => {
    proxy = await startFaultProxy(engine().endpoint);
  });
  afterAll(() => proxy.close());
  afterEach(() => proxy.reset());

  const createLosing = async (name: string, choose: ChooseFault) => {
    proxy.inject(choose);
    const args = ['keys', 'create', '--name', name, '--plan', 'free', '--json', '--dynamodb', proxy.endpoint];
    const result = await runCommand(args, engine().names);
    const listed = await run(['keys', 'list', '--json']);
    const stored = (JSON.parse(listed.stdout) as { id: string; name: string }[]).filter((key) => key.name === name);
    return { ...result, stored };
  };

  it.each([
    ['the first', 'resetAfter', onNthCall(1, 'resetAfter')],
    ['the first, cut in the middle', 'truncate', onNthCall(1, 'truncate')],
    ['every one to a write', 'resetAfter', always('resetAfter')],
  ] as const)('shows the key that was stored: %s (%s)', async (name, _fault, choose) => {
    const { exitCode, stdout, stderr, stored } = await createLosing(name, forOperation('PutItem', choose));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { id, key } = JSON.parse(stdout) as { id: string; key: string };
    expect(keyIdOf(hashKey(key))).toBe(id);
    expect(stored).toEqual([expect.objectContaining({ id })]);
  });

  it('reports an error, and shows no key, when nothing was stored', async () => {
    const { exitCode, stdout, stderr, stored } = await createLosing('None', forOperation('PutItem', always('deny')));
    expect({ exitCode, stdout, stored }).toEqual({ exitCode: 2, stdout: '', stored: [] });
    expect(stderr).toMatch(/^error: the database at .* answered with AccessDeniedException\n$/);
  });
});
