import { spawn } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { CONTINUES, commandLine, ended, failure } from './command-line.ts';
import { manyVehicles, vehicleRow, vehiclesCsv } from './import-files.ts';

const { run, file, engine, pathOf, interruptedRun, processArguments } = commandLine();

const badFile = () =>
  file('v.csv', vehiclesCsv(vehicleRow(), vehicleRow({ registration: 'B1', valid_to: '1/2/2027' })));

describe('The CLI as a process', () => {
  const admin = (args: readonly string[]) => ended(spawn(process.execPath, [...args]));
  const KEY = { name: 'A', plan: 'free', key: expect.stringMatching(/^vvc_live_/) };

  it('exits with 0 and writes the JSON of a new key, and nothing else, to standard output', async () => {
    const { stdout, ...end } = await admin(processArguments(...'keys create --name A --plan free --json'.split(' ')));
    expect([end, JSON.parse(stdout)]).toMatchObject([{ exitCode: 0, stderr: '' }, KEY]);
  });

  it('exits with 1 when rows were rejected', async () => {
    expect(await admin(processArguments('import', 'vehicles', await badFile()))).toMatchObject({ exitCode: 1 });
  });

  it('exits with 2 and a sentence when no database answers', async () => {
    const start = 'start it with "npm start", or name another with --dynamodb URL\n';
    const list = ['bin/admin.ts', 'keys', 'list', '--dynamodb', 'http://127.0.0.1:9'];
    expect(await admin(list)).toMatchObject(failure(`error: no database answers at http://127.0.0.1:9: ${start}`));
  });
});

describe('The command line', () => {
  it.each([
    [[], 'error: a command is missing, one of keys, import, remove, export, content, lookup; see --help\n'],
    [
      ['keys'],
      'error: a command is missing, one of create, list, rotate, revoke, update, usage, restore; see --help\n',
    ],
    [['kyes'], "error: unknown command 'kyes'; did you mean keys? See --help\n"],
    [['import', 'boats', 'x.csv'], "error: unknown command 'boats'; see --help\n"],
    [['kyes', '--json'], `{"error":"unknown command 'kyes'; did you mean keys? See --help","exitCode":2}\n`],
  ])('is rejected with a sentence: %j', async (args, sentence) => {
    expect(await run(args)).toEqual(failure(sentence));
  });

  it('names the columns of a file with their other names for --help, in lines of at most 80 characters', async () => {
    const { stdout } = await run(['import', 'vehicles', '--help']);
    const [, columns = ''] = stdout.split('other columns are ignored:\n');
    expect(columns).toMatch(
      /^ {2}registration {7}registration no, [\s\S]*^ {2}color {14}colour, [\s\S]*^ {2}last_updated {7}\(optional\) /m,
    );
    expect(columns.split('\n').filter(({ length }) => length > 80)).toEqual([]);
  });

  it('documents its exit codes for --help', async () => {
    expect(await run(['--help'])).toEqual({ exitCode: 0, stdout: expect.stringMatching(/Exit codes:/), stderr: '' });
  });
});

describe('--json', () => {
  /** Runs a command with `--json`; its output must be one document and a line feed. */
  const json = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await run([...args, '--json']);
    expect({ lines: stdout.split('\n').length, stderr }).toEqual({ lines: 2, stderr: '' });
    return { exitCode, data: JSON.parse(stdout) as Record<string, unknown> };
  };

  it('gives one document for each command of keys', async () => {
    const create = 'keys create --name JSON --plan free'.split(' ');
    const { id } = (await json(...create)).data as { id: string };
    const key = { id, name: 'JSON', plan: 'premium', state: 'active' };
    expect(await json('keys', 'update', id, '--plan', 'premium')).toMatchObject({ exitCode: 0, data: key });
    expect((await json('keys', 'list')).data).toEqual(expect.arrayContaining([expect.objectContaining(key)]));
    expect((await json('keys', 'usage', id)).data).toMatchObject({ id, count: 0, limit: 6_000 });
    const restored = [expect.anything(), { id, name: 'JSON', result: 'already there' }];
    const { data } = await json('keys', 'restore', '--from', engine().names.keys);
    expect(data).toEqual(expect.arrayContaining(restored));
    const { data: successor } = await json('keys', 'rotate', id);
    expect(successor).toMatchObject({ ...key, id: expect.any(String), follows: id, previous: { id, state: 'active' } });
    expect((await json('keys', 'revoke', id)).data).toMatchObject({ id, state: 'revoked', successor: successor.id });
  });

  it('gives the counts of an import and why rows were rejected', async () => {
    const path = await badFile();
    const reason = { reason: 'valid_to must be YYYY-MM-DD', advice: '--dates uk reads DD/MM/YYYY', rows: 1 };
    expect(await json('import', 'vehicles', path)).toEqual({
      exitCode: 1,
      data: {
        ...{ kind: 'vehicles', file: path, read: 2, skipped: 0, loaded: 1, rejected: 1, interrupted: false },
        unknownFormat: { count: 0, first: [] },
        ...{ seconds: expect.any(Number), rowsPerSecond: expect.any(Number) },
        rejectedFile: `${path}.rejected.csv`,
        reasons: [{ ...reason, firstLine: 3, firstValue: '1/2/2027' }],
      },
    });
  });

  it('gives notices and errors as JSON on standard error', async () => {
    const path = await file('v.csv', manyVehicles('JSON'));
    const stopped = await interruptedRun(['import', 'vehicles', path, '--json'], 1, 'BatchWriteItem');
    expect([stopped.exitCode, JSON.parse(stopped.stdout)]).toMatchObject([130, { interrupted: true }]);
    const again = await run(['import', 'vehicles', path, '--json']);
    expect(JSON.parse(again.stderr)).toEqual({ notice: `The import ${CONTINUES}` });
    const failed = await run(['import', 'vehicles', `${path}.txt`, '--json']);
    expect(failed).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(failed.stderr)).toEqual({ error: expect.stringMatching(/must end in \.csv/), exitCode: 2 });
  });

  it('gives what an export and a check came to', async () => {
    const path = pathOf('all.ndjson');
    expect(await json('export', 'content', path)).toEqual({ exitCode: 0, data: { file: path, items: 0 } });
    const nothing = { items: 0, inconsistencies: [], busy: [] };
    expect(await json('content', 'check')).toMatchObject({ exitCode: 0, data: nothing });
  });
});
