import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, utimesSync } from 'node:fs';
import { mkdir, rmdir } from 'node:fs/promises';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { forOperation } from '../support/fault-choosers.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { runCommand } from './command-line.ts';
import { journalOf, readJournalOf, stoppableCommandLine } from './stopped-runs.ts';
import { VEHICLE_HEADER, vehicleRow, vehiclesCsv } from './vehicle-files.ts';

const { run, file, engine, pathOf, atCall, countedRun, proxy, writtenItems } = stoppableCommandLine();

const manyVehicles = (count: number, prefix: string): string =>
  vehiclesCsv(...Array.from({ length: count }, (_, index) => vehicleRow({ registration: `${prefix}${index}` })));

describe('a busy database', () => {
  it('gets every item in the end when it leaves half of each batch and throttles others', async () => {
    const busy = await startFaultProxy(engine().endpoint);
    busy.inject(forOperation('BatchWriteItem', ({ nth }) => (nth % 5 === 0 ? 'throttle' : 'partial')));
    const path = await file('v.csv', manyVehicles(200, 'BUSY'));
    const result = await runCommand(['import', 'vehicles', path, '--dynamodb', busy.endpoint], engine().names);
    await busy.close();
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/ 200 +200 +0 /) });
    const faults = busy.calls.map(({ fault }) => fault);
    expect(faults).toEqual(expect.arrayContaining(['throttle', 'partial']));
    expect(faults.length).toBeGreaterThan(40);
    const { Count } = await engine().client.send(
      new ScanCommand({ TableName: engine().names.vehicles, Select: 'COUNT' }),
    );
    expect(Count).toBe(200);
  });
});

describe('a file that cannot be loaded', () => {
  it.each([
    ['there is no such file', 'absent.csv', undefined, /^error: there is no such file: .*absent\.csv\n$/],
    ['its name has no known ending', 'vehicles.xlsx', '', /^error: the name of the file must end in \.csv or \.ndjson/],
    ['it has no header', 'empty.csv', '', /missing: registration, make/],
    [
      'columns are missing, unknown or there twice',
      'h.csv',
      'Registration,make,MAKE,wheels\n',
      /missing: model.*unknown: "wheels"; there twice: make/,
    ],
  ])('ends with exit code 2 when %s', async (_case, name, content, sentence) => {
    const path = content === undefined ? pathOf(name) : await file(name, content);
    const result = await run(['import', 'vehicles', path]);
    expect(result).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(sentence) });
  });

  it('ends with exit code 2 when it is a folder', async () => {
    await mkdir(pathOf('folder.csv'));
    expect(await run(['import', 'vehicles', pathOf('folder.csv')])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/a folder, not a file/),
    });
  });

  it('ends with exit code 2 when it is a pipe, which could be read only once', async () => {
    execFileSync('mkfifo', [pathOf('pipe.csv')]);
    expect(await run(['import', 'vehicles', pathOf('pipe.csv')])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/it must be a file, not a pipe: .*pipe\.csv\n$/),
    });
  });

  it('stores nothing when the rows of too many vehicles are scattered over it', async () => {
    // Rows with too few columns are short, and are counted all the same.
    const pass = Array.from({ length: 125_001 }, (_, index) => `S${index}`);
    const scattered = [vehicleRow({ registration: 'FIRST' }), ...pass, ...pass].join('\n');
    const path = await file('v.csv', vehiclesCsv(scattered));
    const result = await countedRun(['import', 'vehicles', path]);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toMatch(/^error: the rows of too many vehicles .* sort the file by registration\n$/);
    expect(writtenItems()).toBe(0);
    expect(existsSync(journalOf(path))).toBe(false);
  });

  it('is named when somebody writes to it before all of it is read', async () => {
    const path = await file('v.csv', manyVehicles(1_000, 'GROWS'));
    atCall(1, 'DescribeTable', () => appendFileSync(path, `${vehicleRow({ registration: 'GROWS0' })}\n`));
    const sentence = `error: the file has changed while it was read; load it again: ${path}\n`;
    expect(await countedRun(['import', 'vehicles', path])).toMatchObject({ exitCode: 2, stderr: sentence });
    expect(writtenItems()).toBe(0);
  });

  it('is named when somebody writes to it while it is loaded', async () => {
    const path = await file('v.csv', manyVehicles(1_000, 'LATER'));
    atCall(1, 'BatchWriteItem', () => utimesSync(path, new Date(0), new Date(0)));
    expect(await countedRun(['import', 'vehicles', path])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^error: the file has changed while it was read; load it again/),
    });
  });

  it('ends with exit code 2 when the kind of data is unknown', async () => {
    expect(await run(['import', 'boats', 'x.csv'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/Usage/),
    });
  });
});

describe('a file of refused rows that cannot be written', () => {
  it('is named, and what was stored before need not be stored again', async () => {
    const path = await file('v.csv', `${manyVehicles(1_000, 'DISK')}${vehicleRow({ registration: '' })}\n`);
    const rejected = `${path}.rejected.ndjson`;
    atCall(1, 'BatchWriteItem', () => mkdirSync(rejected));
    const failed = await countedRun(['import', 'vehicles', path]);
    expect(failed).toMatchObject({ exitCode: 2, stdout: '' });
    expect(failed.stderr).toContain(`that is a folder, not a file: ${rejected}; 1000 records were loaded before`);
    expect(failed.stderr).toMatch(/--resume continues where it stopped\n$/);
    expect(await readJournalOf(path)).toMatchObject({ point: { pending: [] } });
    await rmdir(rejected);
    proxy().reset();
    expect(await countedRun(['import', 'vehicles', path, '--resume'])).toMatchObject({ exitCode: 1 });
    expect(writtenItems()).toBe(0);
  });

  it('is named before anything is stored when it is a folder already', async () => {
    const path = await file('v.csv', vehiclesCsv(vehicleRow()));
    await mkdir(`${path}.rejected.ndjson`);
    expect(await countedRun(['import', 'vehicles', path])).toMatchObject({
      exitCode: 2,
      stderr: `error: that is a folder, not a file: ${path}.rejected.ndjson\n`,
    });
    expect(writtenItems()).toBe(0);
  });
});

describe('import', () => {
  it('accepts a file that has a header and no rows', async () => {
    expect(await run(['import', 'vehicles', await file('v.csv', VEHICLE_HEADER)])).toMatchObject({ exitCode: 0 });
  });

  it('shows a progress bar on a terminal, on standard error alone', async () => {
    const path = await file('v.csv', manyVehicles(30, 'BAR'));
    const onTerminal = await run(['import', 'vehicles', path], { isTTY: true });
    expect(onTerminal.stderr).toMatch(/vehicles .*%/);
    expect(onTerminal.stdout).not.toMatch(/%/);
    expect((await run(['import', 'vehicles', path])).stderr).toBe('');
  });

  it('says nothing of what the file holds anywhere but in the file of refused rows', async () => {
    const canary = 'CANARY77';
    const path = await file('v.csv', vehiclesCsv(vehicleRow({ registration: canary, make: '' })));
    const { stdout, stderr } = await run(['import', 'vehicles', path], { isTTY: true });
    expect(existsSync(`${path}.rejected.ndjson`)).toBe(true);
    expect(stdout + stderr).not.toContain(canary);
  });

  it('stops at Ctrl-C with what was handed on stored, and says that it did', async () => {
    const path = await file('v.csv', manyVehicles(10, 'STOP'));
    const result = await run(['import', 'vehicles', path], { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ exitCode: 130, stderr: expect.stringMatching(/Stopped by Ctrl-C/) });
  });
});
