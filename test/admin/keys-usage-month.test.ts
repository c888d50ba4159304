import { readFile } from 'node:fs/promises';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { commandLine, failure } from './command-line.ts';

const { run, json, countedRun, interruptedRun, proxy, engine, pathOf } = commandLine();

interface Report {
  readonly from: string;
  readonly to: string;
  readonly keys: readonly { readonly id: string; readonly requests: number; readonly days: readonly object[] }[];
}

const create = async (name: string, ...options: string[]): Promise<string> =>
  (await json<{ id: string }>(['keys', 'create', '--plan', 'free', '--name', name, ...options])).id;
const rotate = async (id: string): Promise<string> => (await json<{ id: string }>(['keys', 'rotate', id])).id;
const count = async (keyId: string, minute: string, used: number, padding = ''): Promise<void> => {
  const Item = { keyId, windowStart: Date.parse(minute) / 1_000, used, padding };
  await engine().client.send(new PutCommand({ TableName: engine().names.usage, Item }));
};
const usage = (month: string, ...options: string[]) => ['keys', 'usage', '--month', month, ...options];

describe('keys usage --month', () => {
  it('counts the requests of each day, UTC, and those beyond the limit of a minute by the present plan', async () => {
    const id = await create('Acme');
    await count(id, '2026-10-31T23:59Z', 7);
    await count(id, '2026-11-01T00:00Z', 61);
    await count(id, '2026-11-01T23:59Z', 601);
    await count(id, '2026-11-21T12:00Z', 5);
    const days = (rateLimited: number) => [
      { day: '2026-11-01', requests: 662, rateLimited },
      { day: '2026-11-21', requests: 5, rateLimited: 0 },
    ];
    const shown = { id, name: 'Acme', plan: 'free', successors: [] };
    expect(await json(usage('2026-11', id))).toEqual({
      ...{ month: '2026-11', from: '2026-11-01', to: '2026-11-21', file: null },
      keys: [{ ...shown, requests: 667, rateLimited: 542, days: days(542) }],
    });
    await run(['keys', 'update', id, '--plan', 'standard']);
    expect(await json(usage('2026-11', id))).toMatchObject({ keys: [{ rateLimited: 1, days: days(1) }] });
  });

  it('draws a bar per day, and nothing where there were no requests', async () => {
    const id = await create('Acme');
    const empty = `Key ${id} (Acme, free): 0 requests in 2026-11, 0 rate limited.\n`;
    expect((await run(usage('2026-11', id))).stdout).toBe(empty);
    await count(id, '2026-11-20T10:00Z', 60);
    await count(id, '2026-11-21T10:00Z', 30);
    const lines = (await run(usage('2026-11', id))).stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(2 + 1 + 21);
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(/^2026-11-20 +60 +0 +█{50}$/),
      expect.stringMatching(/^2026-11-21 +30 +0 +█{25}$/),
    ]);
  });

  it('reports every key but the probe’s, and writes those with requests to a table and a CSV', async () => {
    const [busy, idle] = [await create('=A "B", C'), await create('Idle')];
    await count(busy, '2026-11-02T10:00Z', 61);
    await count('probe-00000000000000000000', '2026-11-02T10:00Z', 10);
    const file = pathOf('usage.csv');
    const { stdout, stderr } = await run(usage('2026-11', '--csv', file));
    expect(stdout).toMatch(new RegExp(`^${busy} +=A "B", C +free +61 +1$`, 'm'));
    expect(stdout).not.toContain(idle);
    expect(stdout).toMatch(/^Keys with requests in 2026-11: \d of \d\.\n$/m);
    expect(stderr).toBe(`The days of each key are in ${file}\n`);
    const csv = await readFile(file, 'utf8');
    expect(csv).toMatch(/^\uFEFFid,name,plan,day,requests,rate_limited\r\n/);
    expect(csv).toContain(`\r\n${busy},"=A ""B"", C",free,2026-11-02,61,1\r\n`);
    expect(csv).not.toContain('probe-');
    const { keys } = await json<Report>(usage('2026-11'));
    expect(keys.map(({ id }) => id)).toEqual(expect.arrayContaining([busy, idle]));
  });

  it('reports a rotated key and those after it as one with --successors, otherwise each by itself', async () => {
    const first = await create('Chain');
    const second = await rotate(first);
    const third = await rotate(second);
    for (const [id, used] of [
      [first, 1],
      [second, 20],
      [third, 300],
    ] as const)
      await count(id, '2026-11-03T10:00Z', used);
    await run(['keys', 'update', third, '--plan', 'standard']);
    const chain = { id: first, plan: 'standard', successors: [second, third], requests: 321, rateLimited: 0 };
    expect((await json<Report>(usage('2026-11', first, '--successors'))).keys).toMatchObject([chain]);
    expect((await json<Report>(usage('2026-11', second, '--successors'))).keys).toMatchObject([{ requests: 320 }]);
    expect((await json<Report>(usage('2026-11', first))).keys).toMatchObject([{ requests: 1, successors: [] }]);
    const { keys } = await json<Report>(usage('2026-11', '--successors'));
    expect(keys.filter(({ id }) => [first, second, third].includes(id))).toMatchObject([chain]);
  });

  it('reports a month as long as all of its counters are kept, then what is left with a notice', async () => {
    const id = await create('Acme');
    for (const day of ['01', '02', '31']) await count(id, `2026-10-${day}T00:00Z`, 3);
    const at = (now: string) => ({ now: new Date(now) });
    const whole = await run(usage('2026-10', id, '--json'), at('2026-11-09T23:59:59Z'));
    expect(whole.stderr).toBe('');
    expect(JSON.parse(whole.stdout)).toMatchObject({ from: '2026-10-01', to: '2026-10-31', keys: [{ requests: 9 }] });
    const rest = await run(usage('2026-10', id), at('2026-11-10T00:00:01Z'));
    expect(rest.stdout).toContain(': 6 requests in 2026-10');
    expect(rest.stderr).toBe('The days of 2026-10 before 2026-10-02 are missing: counters are kept for 40 days.\n');
    const gone = failure('nothing is left of 2026-10: counters are kept for 40 days');
    expect(await run(usage('2026-10', id), at('2026-12-10T00:00:01Z'))).toEqual(gone);
  });

  it('adds the counters of every page of 1 MB, as a busy month has several', async () => {
    const id = await create('Busy');
    for (const minute of ['00', '01', '02', '03']) await count(id, `2026-11-04T00:${minute}Z`, 10, 'x'.repeat(350_000));
    const { stdout } = await countedRun(usage('2026-11', id));
    expect(stdout).toContain(': 40 requests in 2026-11');
    expect(proxy().calls.filter(({ operation }) => operation === 'Query')).toHaveLength(2);
  });

  it('ends at Ctrl-C without a CSV', async () => {
    for (let keys = 0; keys < 3; keys += 1) await create('Acme');
    const file = pathOf('usage.csv');
    const result = await interruptedRun(usage('2026-11', '--csv', file), 1, 'Query');
    expect(result.exitCode).toBe(130);
    await expect(readFile(file)).rejects.toThrow('ENOENT');
  });

  it.each([
    ['a month that has not begun', usage('2026-12'), '2026-12 has not begun (UTC)'],
    ['a month of another form', usage('2026-13'), 'Use a month of the form YYYY-MM'],
    ['an unknown key', usage('2026-11', '0'.repeat(20)), `no key has the id ${'0'.repeat(20)}`],
    ['a key in place of its id', usage('2026-11', 'vvc_live_1'), '20 hexadecimal digits'],
    ['a folder that does not exist', usage('2026-11', '--csv', '/none/a.csv'), 'there is no such folder: /none'],
    ['--csv without a month', ['keys', 'usage', '--csv', 'a.csv'], 'name it with --month YYYY-MM'],
    ['--successors without a month', ['keys', 'usage', '1', '--successors'], 'name it with --month YYYY-MM'],
    ['neither id nor month', ['keys', 'usage'], 'the id of a key is missing, or --month; see --help'],
  ])('is rejected with one sentence for %s', async (_case, args, sentence) => {
    expect(await countedRun(args)).toEqual(failure(sentence));
    expect(proxy().calls.every(({ operation }) => operation !== 'PutItem')).toBe(true);
  });
});
