import { writeFileSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { startStubService } from './stub-service.ts';
import { useCommandLine } from './use-command-line.ts';

const { accountOf, checkText, file, folder, proxy, start } = useCommandLine();

const FAULTS = ['throttle', 'resetBefore', 'error', 'html', 'truncate', 'truncateJson', 'resetAfter'] as const;
const ROWS = 5_000;
/** With some empty lines, which do not count as rows. */
const LONG = Array.from(
  { length: ROWS },
  (_, index) => `${index % 700 ? '' : '\n'}${index},${index % 3 ? `X${index}` : 'AB12 CDE'},"a ""note"""\n`,
);
const CHECK = ['check', 'fleet.csv', '--out', 'result.csv'];

const resultOf = () => readFile(file('result.csv'), 'utf8');
const check = (fileLimit?: number) => start(CHECK, accountOf('standard'), fileLimit);
const bulkRequests = () => proxy().requests.filter(({ method }) => method === 'POST');
/** Does something at the sixth bulk request, when 2,000 rows are done. */
const halfway = (act: () => void) =>
  proxy().inject(() => {
    if (bulkRequests().length === 6) act();
    return undefined;
  });

describe('A long check', () => {
  /** The result of an undisturbed check. */
  let expected: string | undefined;
  beforeEach(async () => {
    await writeFile(file('fleet.csv'), `id,registration,note\n${LONG.join('')}`);
    if (expected !== undefined) return;
    expect((await check().ended).code).toBe(1);
    expected = await resultOf();
    expect(expected.split('\n')).toHaveLength(ROWS + 2);
    await rm(file('result.csv'));
    proxy().inject(() => undefined);
  });

  it('has the same result through a network that fails every second request', async () => {
    proxy().inject(({ nth }) => (nth % 2 === 0 ? undefined : FAULTS[(nth >> 1) % FAULTS.length]));
    expect(await check().ended).toMatchObject({ code: 1, stderr: '' });
    expect(await resultOf()).toBe(expected);
  });

  const CONTINUE = '2,000 rows are done; run the same command again to continue.\n';
  it.each<{ code: number | NodeJS.Signals; stderr: string; signal?: NodeJS.Signals; fileLimit?: number }>([
    { signal: 'SIGINT', code: 130, stderr: `Stopped. ${CONTINUE}` },
    { signal: 'SIGKILL', code: 'SIGKILL', stderr: '' },
    { fileLimit: 200, code: 1, stderr: `result.csv cannot be written (EFBIG). ${CONTINUE}` },
  ])(
    'continues after a signal or a short write with the same result: %j',
    async ({ code, stderr, signal, fileLimit }) => {
      const stopped = check(fileLimit);
      halfway(() => signal && stopped.child.kill(signal));
      expect(await stopped.ended).toEqual({ code, stdout: '', stderr });
      // What was written after the last stored state is not kept.
      await writeFile(file('result.csv.part'), 'half a line '.repeat(100_000), { flag: 'a' });
      proxy().inject(() => undefined);
      expect((await check().ended).code).toBe(1);
      expect(bulkRequests()).toHaveLength(6);
      expect(await resultOf()).toBe(expected);
      // Neither unfinished files nor the lock of the run that was killed.
      expect((await readdir(folder())).toSorted()).toEqual(['fleet.csv', 'result.csv']);
    },
  );

  it('ends with 2 when the input changes', async () => {
    halfway(() => writeFileSync(file('fleet.csv'), 'id,registration,note\n"1,AB12CDE,x\n'));
    const stderr = 'fleet.csv has changed during the check: run the same command to begin again.\n';
    expect(await check().ended).toEqual({ code: 2, stdout: '', stderr });
  });

  it('starts again when the input or the arguments differ', async () => {
    const stopped = check();
    halfway(() => stopped.child.kill());
    expect((await stopped.ended).code).toBe(130);
    const { code, result } = await checkText('registration\nAB12CDE\n');
    expect([code, result?.split('\n').length]).toEqual([0, 3]);
  });
});

it('A check with lists asks for each row once, and for the day after of what ends', async () => {
  const rows = Array.from({ length: 2_500 }, (_, index) => `AB12 ${index}`);
  const added = 'insured,policy_number,insurer,cover,valid_from,valid_to,suggestion,error';
  const earlier = rows.map((row, index) => `${row},true,POL-${index},Acme,Comprehensive,,,,`);
  await writeFile(file('fleet.csv'), `registration\n${rows.join('\n')}\n`);
  await writeFile(file('old.csv'), `registration,${added}\n${earlier.join('\n')}\n`);
  const service = await startStubService();
  const lists = ['--date', '2030-06-01', '--ending-within', '30', '--ending', 'ending.csv', '--previous', 'old.csv'];
  const { code, stdout, stderr } = await start([...CHECK, ...lists], service.account).ended;
  await service.close();
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('\nChanges since old.csv: 0\n');
  // Three for the rows, and one for each of the ten days on which 250 of them end.
  expect(service.bulkRequests()).toBe(13);
  // Half of them are renewed.
  const list = (await readFile(file('ending.csv'), 'utf8')).trimEnd().split('\n');
  expect([list.length, list[1], list.at(-1)]).toEqual([
    ...[1_251, 'AB12 1,insurance,2030-06-11', 'AB12 2499,insurance,2030-06-19'],
  ]);
});

it('A check of 100,000 rows needs at most 32 MB of heap', async () => {
  const rows = Array.from({ length: 100_000 }, (_, index) => `AB12 ${index},${'a note '.repeat(20)}`);
  await writeFile(file('fleet.csv'), `registration,note\n${rows.join('\n')}\n`);
  const service = await startStubService();
  // The file alone has 15 MB, its rows with their answers several times that.
  const { ended } = start(CHECK, { ...service.account, NODE_OPTIONS: '--max-old-space-size=32' });
  const stdout = expect.stringMatching(/^result\.csv: 100,000 rows, 0 without an answer\.\n/);
  expect(await ended).toEqual({ code: 0, stdout, stderr: '' });
  await service.close();
  expect(service.bulkRequests()).toBe(100);
  expect((await resultOf()).split('\n')).toHaveLength(100_002);
});
