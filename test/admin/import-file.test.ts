import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, utimesSync } from 'node:fs';
import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { asFileFailure, CommandFailure } from '../../lib/admin/command/outcome.ts';
import { forOperation } from '../support/fault-choosers.ts';
import { CAN_CONTINUE, commandLine, failure, stagingFilesOf } from './command-line.ts';
import { manyVehicles, vehicleRow, vehiclesCsv } from './import-files.ts';

const { run, file, load, engine, pathOf, atCall, countedRun, proxy, rejectedLines, writtenItems } = commandLine();

describe('An error of the file system', () => {
  const errorOf = (code: string) => Object.assign(new Error(code), { code });

  it.each([
    ['ENOENT', 'there is no such file: a.csv'],
    ['EACCES', 'access to the file is denied: a.csv'],
    ['EISDIR', 'that is a folder, not a file: a.csv'],
    ['ENOSPC', 'the disk is full: a.csv'],
    ['EROFS', 'the disk cannot be written to: a.csv'],
  ])('%s becomes a sentence that names the file', (code, sentence) => {
    expect(asFileFailure(errorOf(code), 'a.csv')).toEqual(new CommandFailure(sentence));
  });

  it('is told from other errors, which stay as they are', () => {
    const error = errorOf('ECONNREFUSED');
    expect(asFileFailure(error, 'a.csv')).toBe(error);
  });
});

describe('An import is rejected', () => {
  it.each([
    ['the name of its file has no known ending', 'vehicles.txt', '', /^error: the name of the file must end in \.csv/],
    ['its file is a workbook', 'vehicles.xlsx', '', /^error: the file is an Excel workbook, not CSV/],
    [
      'columns are missing, unknown or there twice',
      'h.csv',
      'Registration,make,MAKE,wheels\n',
      /missing: model.*unknown: "wheels"; there twice: make/,
    ],
  ])('when %s', async (_case, name, content, sentence) => {
    expect(await load('vehicles', name, content)).toMatchObject(failure(sentence));
  });

  it('when its file is missing, a folder or a pipe, which could be read only once', async () => {
    await mkdir(pathOf('folder.csv'));
    execFileSync('mkfifo', [pathOf('pipe.csv')]);
    for (const [name, sentence] of [
      ['absent.csv', /^error: there is no such file: .*absent\.csv\n$/],
      ['folder.csv', /a folder, not a file/],
      ['pipe.csv', /it must be a file, not a pipe: .*pipe\.csv\n$/],
    ] as const) {
      expect(await run(['import', 'vehicles', pathOf(name)])).toEqual(failure(sentence));
    }
  });

  it('when somebody writes to its file while it is read, not while it is loaded', async () => {
    const path = await file('v.csv', manyVehicles('GROWS', 1_000, 1));
    atCall(1, 'DescribeTable', () => appendFileSync(path, `${vehicleRow()}\n`));
    expect(await countedRun(['import', 'vehicles', path])).toEqual(
      failure(/^error: the file has changed while it was read; run this again/),
    );
    expect([writtenItems(), stagingFilesOf(path)]).toEqual([0, []]);
    atCall(1, 'BatchWriteItem', () => utimesSync(path, new Date(0), new Date(0)));
    expect(await countedRun(['import', 'vehicles', path])).toMatchObject({ exitCode: 0 });
  });

  it('in one pass of 200,000 unknown columns, of which it names 20 without control characters', async () => {
    const names = ['a\u009b2J', 'b\u202ec', ...Array.from({ length: 200_000 }, (_, index) => index.toString(36))];
    const result = await load('vehicles', 'h.csv', `${names.join(',')}\n`);
    expect(result).toMatchObject(failure(/unknown: "a\ufffd2J", "b\ufffdc", "0", .*"h" and 199,982 more\)/));
    expect(result.stderr).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
  });

  it('before anything is stored when the file of rejected rows is a folder', async () => {
    const path = await file('v.csv', vehiclesCsv(vehicleRow()));
    await mkdir(`${path}.rejected.ndjson`);
    const sentence = `error: that is a folder, not a file: ${path}.rejected.ndjson\n`;
    expect(await countedRun(['import', 'vehicles', path])).toEqual({ exitCode: 2, stdout: '', stderr: sentence });
    expect(writtenItems()).toBe(0);
  });

  it('and can be continued when the file of rejected rows becomes a folder meanwhile', async () => {
    const path = await file('v.csv', `${manyVehicles('DISK', 1_000, 1)}${vehicleRow({ registration: '' })}\n`);
    const rejected = `${path}.rejected.ndjson`;
    atCall(1, 'BatchWriteItem', () => mkdirSync(rejected));
    const failed = await countedRun(['import', 'vehicles', path]);
    const sentence = `that is a folder, not a file: ${rejected}; 1000 records were loaded before, ${CAN_CONTINUE}\n`;
    expect(failed).toEqual(failure(sentence));
    await rmdir(rejected);
    proxy().reset();
    expect(await countedRun(['import', 'vehicles', path])).toMatchObject({ exitCode: 1 });
    expect([writtenItems(), (await rejectedLines(path)).length]).toEqual([0, 1]);
    expect(await readdir(pathOf('.'))).toEqual(['v.csv', 'v.csv.rejected.ndjson']);
  });
});

describe('An import', () => {
  it('stores every item when the database leaves half of each batch and throttles others', async () => {
    proxy().inject(forOperation('BatchWriteItem', ({ nth }) => (nth % 5 === 0 ? 'throttle' : 'partial')));
    const result = await countedRun(['import', 'vehicles', await file('v.csv', manyVehicles('BUSY', 200, 1))]);
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/ 200 +200 +0 /) });
    const faults = proxy().calls.map(({ fault }) => fault);
    expect(faults).toEqual(expect.arrayContaining(['throttle', 'partial']));
    expect(faults.length).toBeGreaterThan(40);
    const { client, names } = engine();
    const { Items = [] } = await client.send(new ScanCommand({ TableName: names.vehicles }));
    expect(Items.filter(({ registration }) => registration?.S?.startsWith('BUSY'))).toHaveLength(200);
  });

  it('shows rows, rate, rejections and time left on a terminal; elsewhere no control character', async () => {
    const csv = manyVehicles('BAR', 30, 1) + vehicleRow({ registration: '' });
    const { stdout, stderr, path } = await load('vehicles', 'v.csv', csv, { showsProgress: true });
    expect(stderr).toMatch(/reading \S+ 100 % {2}31 rows/);
    expect(stderr).toMatch(/vehicles \S+ 100 % {2}31 rows, [\d,]+\/s, 1 rejected, \d+s left/);
    for (const piped of [stdout, (await run(['import', 'vehicles', path])).stderr])
      expect(piped).not.toMatch(/[^\P{Cc}\n]|%/u);
  });

  it('shows the content of a row only in the file of rejected rows', async () => {
    const bad = vehiclesCsv(vehicleRow({ registration: 'CANARY77', make: '' }));
    const { stdout, stderr, path } = await load('vehicles', 'v.csv', bad, { showsProgress: true });
    expect(existsSync(`${path}.rejected.ndjson`)).toBe(true);
    expect(stdout + stderr).not.toContain('CANARY77');
  });
});
