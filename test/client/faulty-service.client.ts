import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startCommandLine } from './run-command-line.ts';
import { startStubService } from './stub-service.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faulty-service-'));
  await writeFile(join(folder, 'fleet.csv'), 'registration\nAB12CDE\nKR08NIL\n');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const CHECK = ['check', 'fleet.csv', '--out', 'result.csv'];
const runWith = async (answers: Parameters<typeof startStubService>[0], args: readonly string[] = CHECK) => {
  const service = await startStubService(answers);
  const ended = await startCommandLine(folder, args, service.account).ended;
  await service.close();
  return ended;
};

describe('The command line with a service that is faulty or hostile', () => {
  it('prints no control, format or bidi character of a response', async () => {
    const key = { name: 'A\x1b]0;b\x07\u202ec\nKey d', environment: 'live', scopes: ['\x9b2J'], plan: 'premium' };
    const { code, stdout } = await runWith({ usage: { key } }, ['usage']);
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'Key       A\ufffd]0;b\ufffd\ufffdc\ufffdKey d, live, no expiry',
      'Scopes    \ufffd2J',
    ]);
    const problem = { status: 403, code: 'X', detail: 'a\x1b[31m\nb', requestId: '\u2066r' };
    expect(await runWith({ usage: problem })).toEqual({
      code: 2,
      stdout: '',
      stderr: '403 X: a\ufffd[31m\ufffdb (request \ufffdr).\n',
    });
  });

  it.each<[string, object, string]>([
    ['errors that are no list', { errors: 'x' }, '400 X: What to do.'],
    ['errors that are no objects', { errors: [null, 5, {}] }, '400 X: What to do.'],
    ['errors without texts', { errors: [{ parameter: { toString: 1 }, detail: 'x' }] }, '400 X: What to do.'],
    ['errors with one that is right', { errors: [1, { pointer: '/a', detail: 'b' }] }, '400 X: What to do.; /a b.'],
    [
      'texts that are none',
      { code: {}, detail: { toString: 1 }, requestId: [] },
      '400: The response has the status 400 and no explanation.',
    ],
  ])('ends with 2 and one sentence after a problem with %s', async (_title, members, sentence) => {
    const usage = { status: 400, code: 'X', detail: 'What to do.', ...members };
    expect(await runWith({ usage })).toEqual({ code: 2, stdout: '', stderr: `${sentence}\n` });
  });

  it('has an error in each row whose result is for another registration', async () => {
    const { code, stdout } = await runWith({ bulk: ([first]) => [{ registration: 'AB12CDE' }, first] });
    expect([code, stdout]).toEqual([1, 'result.csv: 2 rows, 2 without an answer.\n']);
    const [, ...lines] = (await readFile(join(folder, 'result.csv'), 'utf8')).split('\n');
    expect(lines).toEqual(['AB12CDE,,,,,,,,INVALID_ANSWER', 'KR08NIL,,,,,,,,INVALID_ANSWER', '']);
  });

  it('ends with 2 when the plan is invalid', async () => {
    const { code, stderr } = await runWith({ usage: { limits: { registrationsPerBulk: 0 } } });
    expect([code, stderr]).toEqual([2, 'Unexpected error: The response does not contain the limits of the key.\n']);
  });
});
