import { spawn } from 'node:child_process';
import { stat, utimes } from 'node:fs/promises';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { stopListener } from '../../../bin/stop-signals.ts';
import { createTables } from '../../../lib/local/engine/create-tables.ts';
import { forOperation } from '../../support/fault-choosers.ts';
import { CAN_CONTINUE, CONTINUES, commandLine, ended, failure, stagingFilesOf } from '../command-line.ts';
import { complianceLine, manyVehicles, vehicleRow, vehiclesCsv } from '../import-files.ts';

const { run, file, engine, atCall, countedRun, interruptedRun, processArguments, proxy, ...line } = commandLine();
const { rejectedLines, stored, writtenItems } = line;

const importing = (path: string, kind = 'vehicles') => ['import', kind, path];

/** An import of vehicles that Ctrl-C stopped at the nth batch. */
const stoppedImport = async (csv: string, batch = 1): Promise<string> => {
  const path = await file('v.csv', csv);
  const stopped = await interruptedRun(importing(path), batch, 'BatchWriteItem');
  expect(stopped).toMatchObject({ exitCode: 130, stderr: expect.stringContaining(CAN_CONTINUE) });
  return path;
};

/** Lets the database deny writes from the nth batch on. */
const denyFrom = (batch: number): void => {
  let writes = 0;
  proxy().inject(
    forOperation('BatchWriteItem', () => {
      writes += 1;
      return writes < batch ? undefined : 'deny';
    }),
  );
};

describe('A continued import', () => {
  it('has no vehicle half, writes each once and reports rows again that were rejected before, even when it was stopped twice', async () => {
    const bad = vehicleRow({ registration: 'AAA', year: 'x' });
    const path = await stoppedImport(`${manyVehicles('TWICE', 600, 3)}${bad}\n`, 3);
    expect(new Set((await stored()).map(({ policies }) => policies.length))).toEqual(new Set([3]));
    expect(await interruptedRun(importing(path), 1, 'BatchWriteItem')).toMatchObject({ exitCode: 130 });
    const continued = await countedRun([...importing(path), '--json']);
    expect(continued).toMatchObject({
      exitCode: 1,
      stderr: `${JSON.stringify({ notice: `The import ${CONTINUES}` })}\n`,
    });
    const { read, skipped, loaded, rejected: count } = JSON.parse(continued.stdout);
    expect([read, count, skipped > 0, skipped + loaded * 3]).toEqual([1_801, 1, true, 1_800]);
    expect([writtenItems(), (await stored()).length, stagingFilesOf(path)]).toEqual([600, 600, []]);
    expect(await rejectedLines(path)).toMatchObject([{ line: 1_802 }]);
  });

  it('continues after a database error, whose message has the number of stored records', async () => {
    const path = await file('v.csv', manyVehicles('FAULT'));
    denyFrom(6);
    const failed = await countedRun(importing(path));
    proxy().reset();
    const before = (await stored()).filter(({ registration }) => registration.startsWith('FAULT')).length;
    expect(failed).toEqual(failure(`AccessDeniedException; ${before} records were loaded before, ${CAN_CONTINUE}\n`));
    expect(await countedRun(importing(path))).toMatchObject({ exitCode: 0 });
    expect(before + writtenItems()).toBe(300);
  });

  it('stores the first of over 1,000 rows of a vehicle, also when it is stopped right after that', async () => {
    const line = (registration: string, outstandingFines = 0) => complianceLine({ registration, outstandingFines });
    // The repeated vehicle ends the first batch of 25.
    const before = Array.from({ length: 24 }, (_, index) => line(`A${10 + index}`));
    const repeated = Array.from({ length: 1_200 }, (_, index) => line('AAA', index));
    const after = Array.from({ length: 60 }, (_, index) => line(`B${10 + index}`));
    const path = await file('c.ndjson', [...before, ...repeated, ...after].join('\n'));
    denyFrom(2);
    expect(await countedRun(importing(path, 'compliance'))).toEqual(failure('25 records were loaded before'));
    expect(await run(importing(path, 'compliance'))).toMatchObject({ exitCode: 1 });
    const records = await stored<{ registration: string; outstandingFines: number }>('compliance');
    expect(records.find(({ registration }) => registration === 'AAA')?.outstandingFines).toBe(0);
    expect(await rejectedLines(path)).toHaveLength(repeated.length - 1);
  });
});

describe('A stopped import is not continued, but begins again with a notice', () => {
  const begins = async (path: string, reason: string) => {
    const stderr = expect.stringContaining(`The import begins again: ${reason}.\n`);
    expect(await run(importing(path))).toMatchObject({ exitCode: 0, stderr });
  };

  it.each([
    ['modification time', 'STOP', 0],
    ['size', 'NEW', undefined],
    ['content', 'PEST', undefined],
  ])('when the file has changed in its %s alone', async (_what, prefix, time) => {
    const path = await stoppedImport(manyVehicles('STOP'));
    const { atime, mtime } = await stat(path);
    await file('v.csv', manyVehicles(prefix));
    await utimes(path, atime, time ?? mtime);
    await begins(path, 'the file has changed since it was stopped');
  });

  it('when the table was created again, and not when it is another kind of data', async () => {
    const path = await stoppedImport(manyVehicles('STOP'));
    const removal = await run(['remove', 'vehicles', path], { signal: AbortSignal.abort() });
    expect(removal.stderr).toContain('is left of a run');
    const { names, client } = engine();
    await client.send(new DeleteTableCommand({ TableName: names.vehicles }));
    await createTables(client, names);
    await begins(path, 'the table was deleted and created again since it was stopped');
  });

  it('with --restart, which needs no reason', async () => {
    const path = await stoppedImport(manyVehicles('AGAIN'));
    const again = await countedRun([...importing(path), '--restart']);
    expect(again).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.not.stringContaining('skipped') });
  });
});

describe('Ctrl-C', () => {
  it.each([
    ['is one request when npm repeats it within a second', [500, 501, 1_499], ['stop']],
    ['is a second request when it comes a second later', [500, 1_500], ['stop', 'stop now']],
  ])('%s', (_title, moments, expected) => {
    const calls: string[] = [];
    let now = 0;
    const actions = { stop: () => calls.push('stop'), stopNow: () => calls.push('stop now') };
    const listener = stopListener(actions, () => now);
    for (now of moments) listener();
    expect(calls).toEqual(expected);
  });

  it('ends the process of an import with its summary and how to continue it, even when two signals arrive', async () => {
    const path = await file('v.csv', manyVehicles('SIGNAL', 1_500));
    const child = spawn(process.execPath, processArguments(...importing(path)));
    // Both are pending before the process sees either, so that they are one request however slow the machine is.
    const signals = ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const;
    atCall(1, 'BatchWriteItem', () => {
      for (const signal of signals) child.kill(signal);
    });
    expect(await ended(child)).toMatchObject({
      exitCode: 130,
      stdout: expect.stringMatching(/rows read +vehicles loaded/),
      stderr: `Stopped by Ctrl-C; ${CAN_CONTINUE}.\n`,
    });
  });

  it('is obeyed while the file is read, before a row and after the last one, and nothing is lost', async () => {
    const path = await file('v.csv', vehiclesCsv(vehicleRow({ registration: 'LAST' })));
    /** An import for which Ctrl-C comes after it has looked for it so many times. */
    const stopAfter = async (times: number) => {
      const looks: unknown[] = [];
      const signal = Object.defineProperty({}, 'aborted', { get: () => looks.push('look') > times });
      const { exitCode } = await run(importing(path), { signal: signal as unknown as AbortSignal });
      return [exitCode, stagingFilesOf(path).length];
    };
    expect([await stopAfter(0), await stopAfter(1)]).toEqual([
      [130, 0],
      [130, 1],
    ]);
    expect([await stopAfter(1), (await stored()).map(({ registration }) => registration)]).toEqual([
      [130, 1],
      expect.arrayContaining(['LAST']),
    ]);
    expect(await run(importing(path))).toMatchObject({ exitCode: 0, stderr: `The import ${CONTINUES}\n` });
  });
});
