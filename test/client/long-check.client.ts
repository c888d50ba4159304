import { writeFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import type { HttpFault } from './http-fault-proxy.ts';
import { startStubService } from './stub-service.ts';
import { useCommandLine } from './use-command-line.ts';

const { accountOf, checkText, file, folder, proxy, run, serviceOrigin, start } = useCommandLine();

describe('A long check', () => {
  const ROWS = 5_000;
  const FAULTS: readonly HttpFault[] = [
    'throttle',
    'resetBefore',
    'error',
    'html',
    'truncate',
    'truncateJson',
    'resetAfter',
  ];
  const longFile = () => {
    const rows = Array.from(
      { length: ROWS },
      // With some empty lines, which do not count as rows.
      (_, index) => `${index % 700 ? '' : '\n'}${index},${index % 3 ? `X${index}` : 'AB12 CDE'},"a ""note"""`,
    );
    return writeFile(file('fleet.csv'), `id,registration,note\n${rows.join('\n')}\n`);
  };
  const checkTo = (out: string) => ['check', 'fleet.csv', '--out', out];
  const resultOf = (name: string) => readFile(file(name), 'utf8');
  const bulkRequests = () => proxy().requests.filter(({ method }) => method === 'POST');

  it('has the same result through a network that fails every second request', async () => {
    await longFile();
    expect((await run(checkTo('expected.csv'), 'standard')).code).toBe(1);
    proxy().inject(({ nth }) => (nth % 2 === 0 ? undefined : FAULTS[(nth >> 1) % FAULTS.length]));
    const { code, stderr } = await run(checkTo('result.csv'), 'standard');
    expect([code, stderr]).toEqual([1, '']);
    const result = await resultOf('result.csv');
    expect(result).toBe(await resultOf('expected.csv'));
    expect(result.split('\n')).toHaveLength(ROWS + 2);
  });

  it.each<NodeJS.Signals>(['SIGINT', 'SIGKILL'])('continues after %s with the same result', async (signal) => {
    await longFile();
    await run(checkTo('expected.csv'), 'standard');
    const stopped = start(checkTo('result.csv'), accountOf('standard'));
    proxy().inject(() => {
      if (bulkRequests().length === 6) stopped.child.kill(signal);
      return undefined;
    });
    const { code, stderr } = await stopped.ended;
    expect(code).toBe(signal === 'SIGINT' ? 130 : 'SIGKILL');
    if (signal === 'SIGINT')
      expect(stderr).toBe('Stopped. 2,000 rows are done; run the same command again to continue.\n');
    // What was written after the last stored state is not kept.
    await writeFile(file('result.csv.part'), 'half a line '.repeat(100_000), { flag: 'a' });
    proxy().inject(() => undefined);
    expect((await run(checkTo('result.csv'), 'standard')).code).toBe(1);
    expect(bulkRequests()).toHaveLength(6);
    expect(await resultOf('result.csv')).toBe(await resultOf('expected.csv'));
    // Neither unfinished files nor the lock of the run that was killed.
    expect((await readdir(folder())).toSorted()).toEqual(['expected.csv', 'fleet.csv', 'result.csv']);
  });

  it('continues without loss after a short write', async () => {
    await longFile();
    await run(checkTo('expected.csv'), 'standard');
    const limited = start(checkTo('result.csv'), accountOf('standard'), { maxFileSize: 200 });
    expect(await limited.ended).toEqual({
      code: 1,
      stdout: '',
      stderr: 'result.csv cannot be written (EFBIG). 2,000 rows are done; run the same command again to continue.\n',
    });
    expect((await run(checkTo('result.csv'), 'standard')).code).toBe(1);
    expect(await resultOf('result.csv')).toBe(await resultOf('expected.csv'));
  });

  it('is not continued with another service', async () => {
    await longFile();
    await run(checkTo('expected.csv'), 'standard');
    const stopped = start(checkTo('result.csv'), accountOf('standard'));
    proxy().inject(() => {
      if (bulkRequests().length === 6) stopped.child.kill();
      return undefined;
    });
    await stopped.ended;
    const { baseUrl, apiKey } = accountOf('standard');
    const elsewhere = await start(checkTo('result.csv'), { baseUrl: `${serviceOrigin()}/v1`, apiKey }).ended;
    const sentence = `result.csv.part has answers from ${baseUrl}: use that address again, or delete result.csv.part to begin again.`;
    expect(elsewhere).toEqual({ code: 2, stdout: '', stderr: `${sentence}\n` });
    expect((await start(checkTo('result.csv'), { baseUrl: `${baseUrl}/`, apiKey }).ended).code).toBe(1);
    expect(await resultOf('result.csv')).toBe(await resultOf('expected.csv'));
  });

  it('ends with one sentence when another process writes the same result', async () => {
    await longFile();
    await run(checkTo('expected.csv'), 'standard');
    const first = start(checkTo('result.csv'), accountOf('standard'));
    const isHalfway = new Promise<void>((resolve) => {
      proxy().inject(() => {
        if (bulkRequests().length === 6) resolve();
        return undefined;
      });
    });
    await isHalfway;
    first.child.kill('SIGSTOP');
    const second = await run(checkTo('result.csv'), 'standard');
    first.child.kill('SIGCONT');
    const lock = `result.csv.${first.child.pid}.lock`;
    expect(second).toEqual({
      code: 2,
      stdout: '',
      stderr: `Process ${first.child.pid} is writing result.csv: wait for it, or choose another --out; if it is not a check, delete ${lock}.\n`,
    });
    expect(await first.ended).toMatchObject({ code: 1, stderr: '' });
    expect(await resultOf('result.csv')).toBe(await resultOf('expected.csv'));
    expect(await readdir(folder())).toHaveLength(3);
  });

  it('ends with 2 when the input changes', async () => {
    await longFile();
    proxy().inject(() => {
      if (bulkRequests().length === 6) writeFileSync(file('fleet.csv'), 'id,registration,note\n"1,AB12CDE,x\n');
      return undefined;
    });
    expect(await run(checkTo('result.csv'), 'standard')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'fleet.csv has changed during the check: run the same command to begin again.\n',
    });
  });

  it('starts again when the input or the arguments differ', async () => {
    await longFile();
    const stopped = start(checkTo('result.csv'), accountOf('standard'));
    proxy().inject(() => {
      if (bulkRequests().length === 6) stopped.child.kill();
      return undefined;
    });
    expect((await stopped.ended).code).toBe(130);
    const { code, result } = await checkText('registration\nAB12CDE\n');
    expect([code, result?.split('\n').length]).toEqual([0, 3]);
  });

  it('ends with 1 when a later request is rejected, and keeps the finished rows', async () => {
    await longFile();
    proxy().inject(({ method }) => (method === 'POST' && bulkRequests().length >= 4 ? 'deny' : undefined));
    const { code, stderr } = await run(checkTo('result.csv'), 'standard');
    expect(code).toBe(1);
    expect(stderr).toBe(
      '403: The response has the status 403 and no explanation. 2,000 rows are done; run the same command again to continue.\n',
    );
  });

  it('uses no more memory for 100,000 rows', async () => {
    const rows = Array.from({ length: 100_000 }, (_, index) => `AB12 ${index},${'a note '.repeat(20)}`);
    await writeFile(file('fleet.csv'), `registration,note\n${rows.join('\n')}\n`);
    const service = await startStubService();
    // The file alone has 15 MB, its rows with their answers several times that.
    const options = { env: { NODE_OPTIONS: '--max-old-space-size=32' } };
    const { ended } = start(checkTo('result.csv'), service.account, options);
    expect(await ended).toEqual({ code: 0, stdout: 'result.csv: 100,000 rows, 0 without an answer.\n', stderr: '' });
    await service.close();
    expect((await resultOf('result.csv')).split('\n')).toHaveLength(100_002);
  });
});
