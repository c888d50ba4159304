import { describe, expect, it } from '@jest/globals';
import { CONTINUES, commandLine } from './command-line.ts';
import { manyVehicles, vehicleRow, vehiclesCsv } from './import-files.ts';

const { run, file, engine, pathOf, interruptedRun } = commandLine();

/** Runs a command with `--json`; its output must be one document and a line feed. */
const json = async (...args: string[]) => {
  const { exitCode, stdout, stderr } = await run([...args, '--json']);
  expect({ lines: stdout.split('\n').length, stderr }).toEqual({ lines: 2, stderr: '' });
  return { exitCode, data: JSON.parse(stdout) as Record<string, unknown> };
};

describe('--json', () => {
  it('gives one document for each command of keys', async () => {
    const create = 'keys create --name A --plan free'.split(' ');
    const { id } = (await json(...create)).data as { id: string };
    const key = { id, name: 'A', plan: 'premium', state: 'active' };
    expect(await json('keys', 'update', id, '--plan', 'premium')).toMatchObject({ exitCode: 0, data: key });
    expect((await json('keys', 'list')).data).toMatchObject([key]);
    expect((await json('keys', 'usage', id)).data).toMatchObject({ id, count: 0, limit: 6_000 });
    expect((await json('keys', 'restore', '--from', engine().names.keys)).data).toEqual([
      { id, name: 'A', result: 'already there' },
    ]);
    const { data: successor } = await json('keys', 'rotate', id);
    expect(successor).toMatchObject({ ...key, id: expect.any(String), follows: id, previous: { id, state: 'active' } });
    expect((await json('keys', 'revoke', id)).data).toMatchObject({ id, state: 'revoked', successor: successor.id });
  });

  it('gives the counts of an import and why rows were rejected', async () => {
    const path = await file(
      'v.csv',
      vehiclesCsv(vehicleRow(), vehicleRow({ registration: 'B1', valid_to: '1/2/2027' })),
    );
    expect(await json('import', 'vehicles', path)).toEqual({
      exitCode: 1,
      data: {
        kind: 'vehicles',
        file: path,
        read: 2,
        skipped: 0,
        loaded: 1,
        rejected: 1,
        seconds: expect.any(Number),
        rowsPerSecond: expect.any(Number),
        interrupted: false,
        rejectedFile: `${path}.rejected.ndjson`,
        reasons: [
          {
            reason: 'valid_to must be YYYY-MM-DD',
            advice: '--dates uk reads DD/MM/YYYY',
            rows: 1,
            firstLine: 3,
            firstValue: '1/2/2027',
          },
        ],
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
