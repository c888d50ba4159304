import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { HttpFault } from './http-fault-proxy.ts';
import { useCommandLine } from './use-client.ts';

const { accountOf, file, folder, proxy, start } = useCommandLine();

const FAULTS = ['throttle', 'resetBefore', 'error', 'html', 'truncate', 'truncateJson', 'resetAfter'] as const;
const ROWS = 5_000;
/** With some empty lines, which do not count as rows. */
const LONG = Array.from(
  { length: ROWS },
  (_, index) => `${index % 700 ? '' : '\n'}${index},${index % 3 ? `X${index}` : 'AB12 CDE'},"a ""note"""\n`,
);
const ADDED =
  'insured,policy_number,insurer,cover,valid_from,valid_to,status,suggestion,error,row,sheet,checked_at,reference,sources';
const CHECK = ['check', 'fleet.csv', '--out', 'result.csv'];

const LISTS = '--previous result.csv --changes changes.csv --ending-within 9 --ending ending.csv'.split(' ');

const textOf = (name: string) => readFile(file(name), 'utf8');
/** Without the times of the lookups and their reference. */
const resultOf = async () => (await textOf('result.csv')).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z,[\w-]+/g, '');
const check = (setUp?: string) => start([...CHECK, ...LISTS], accountOf('standard'), setUp);
const checkOnly = () => start(CHECK, accountOf('standard'));
/** Does something at a request, which then has this fault. */
const at = (nth: number, act: () => void, fault?: HttpFault) =>
  proxy().inject(() => {
    if (proxy().requests.length !== nth - 1) return undefined;
    act();
    return fault;
  });

describe('A long check', () => {
  /** The result of an undisturbed check. */
  let expected: string | undefined;
  beforeEach(async () => {
    await writeFile(file('fleet.csv'), `id,registration,note\n${LONG.join('')}`);
    if (expected !== undefined) return;
    expect((await checkOnly().ended).code).toBe(1);
    expected = await resultOf();
    expect(expected.split('\n')).toHaveLength(ROWS + 2);
    await rm(file('result.csv'));
    proxy().inject(() => undefined);
  });

  it('has the same result through a network that fails every second request', async () => {
    proxy().inject(({ nth }) => (nth % 2 === 0 ? undefined : FAULTS[(nth >> 1) % FAULTS.length]));
    expect(await checkOnly().ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^.* Trying again, 8 times at most\.\n$/),
    });
    expect(await resultOf()).toBe(expected);
  });

  /** The files, each with its text. */
  const filesNow = async () => {
    const names = await readdir(folder());
    return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await textOf(name)])));
  };
  const writeEarlier = async () => {
    await writeFile(file('result.csv'), `id,registration,note,${ADDED}\n0,AB12CDE,,true,OLD,,,,,,,,,,,\n`);
    await writeFile(file('changes.csv'), 'registration,change,before,after\n');
    return filesNow();
  };

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('leaves every file as it was after %s', async (signal) => {
    const earlier = await writeEarlier();
    const stopped = check();
    at(6, () => stopped.child.kill(signal), { slowMs: 600_000 });
    const ended = signal === 'SIGKILL' ? { code: signal, stderr: '' } : { code: 130, stderr: 'Stopped.\n' };
    // On a busy machine a line about a request that is tried again may stand before it.
    expect(await stopped.ended).toEqual({ ...ended, stdout: '', stderr: expect.stringContaining(ended.stderr) });
    expect(await filesNow()).toEqual(earlier);
    proxy().inject(() => undefined);
    expect((await check().ended).code).toBe(1);
    expect(await resultOf()).toBe(expected);
  });

  it('leaves every file as it was when the disk is full', async () => {
    const earlier = await writeEarlier();
    const stderr = 'result.csv cannot be written (EFBIG).\n';
    expect(await check('ulimit -f 200').ended).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(stderr),
    });
    expect(await filesNow()).toEqual(earlier);
  });

  it.each([
    ['exec > /dev/full', 'the disk is full'],
    ['exec > >(:)', 'nobody reads it any more'],
  ])('leaves every file as it was when the summary cannot be printed: %s', async (setUp, why) => {
    const all = await writeEarlier();
    const { 'result.csv': earlier } = all;
    const stderr = `Standard output cannot be written (${why}).\n`;
    expect(await check(setUp).ended).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(stderr) });
    expect(await filesNow()).toEqual(all);
    const killed = check();
    killed.child.stdout.once('data', () => killed.child.kill('SIGKILL'));
    expect((await killed.ended).stdout).toContain('\nChanges since result.csv: 3,334\n');
    expect([earlier, expected]).toContain(await resultOf());
  });
});
