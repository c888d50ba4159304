import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { openStagingFile } from '../../../lib/admin/file-command/staging-database.ts';
import { forOperation } from '../../support/fault-choosers.ts';
import { type AdminOutput, CONTINUES, commandLine, ended, failure, stagingFilesOf } from '../command-line.ts';
import { manyVehicles, VEHICLES, vehicleRow } from '../import-files.ts';

const { run, file, pathOf, proxy, atCall, countedRun, interruptedRun, processArguments, ...line } = commandLine();
const { stoppedImport, writtenItems, rejectedLines } = line;

afterEach(() => void jest.restoreAllMocks());

const sql = (text: string) => (path: string) => {
  const db = new DatabaseSync(path);
  db.function('crc32', (json) => crc32(String(json)));
  db.exec(text);
  db.close();
};

describe('A staging file that cannot be continued', () => {
  const OTHER_VERSION = "UPDATE state SET json = json_set(json, '$.identity.version', 1)";
  it.each<[string, (path: string) => void, string]>([
    ['overwritten', (path) => writeFileSync(path, randomBytes(4_096), { flag: 'r+' }), 'its staging file is damaged'],
    ['cut off', (path) => truncateSync(path, 8_192), 'its staging file is damaged'],
    ['changed', sql("UPDATE state SET json = json_set(json, '$.confirmed', 9)"), 'its staging file is damaged'],
    ['empty', (path) => truncateSync(path), 'it was stopped while it read the file'],
    ['not complete', sql('DELETE FROM state'), 'it was stopped while it read the file'],
    [
      'of another version',
      sql(`${OTHER_VERSION}; UPDATE state SET sum = crc32(json)`),
      'its staging file was written by another version',
    ],
  ])('is replaced with a notice when it is %s', async (_case, damage, reason) => {
    const { path, staging } = await stoppedImport();
    damage(staging);
    expect(await countedRun(['import', 'vehicles', path])).toMatchObject({
      exitCode: 0,
      stdout: expect.not.stringContaining('skipped'),
      stderr: `The import begins again: ${reason}.\n`,
    });
    expect([writtenItems(), stagingFilesOf(path)]).toEqual([VEHICLES, []]);
  });

  it.each([
    ['other text', "UPDATE rows SET text = replace(text, 'Ford', 'Fort') WHERE line = 101"],
    ['another key', "UPDATE rows SET key = 'ZZZ0' WHERE line = 101"],
    ['a row less', 'DELETE FROM rows WHERE line = 101'],
  ])('is named with --restart when its damage shows while it is read: %s', async (_case, damage) => {
    const { path, staging } = await stoppedImport();
    sql(damage)(staging);
    const sentence = / is damaged: .*; --restart begins with a new one(; \d+ records were loaded before)?\n$/;
    expect(await run(['import', 'vehicles', path])).toMatchObject({ ...failure(sentence), stdout: expect.anything() });
    expect(await run(['import', 'vehicles', path, '--restart'])).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('A file in the place of the staging file', () => {
  it('is named and left alone when it is a symbolic link', async () => {
    const { path, staging } = await stoppedImport();
    await rm(staging);
    await symlink('/etc/passwd', staging);
    const sentence = `error: this is not the staging file of a run, but has its name: ${staging}\n`;
    expect(await countedRun(['import', 'vehicles', path])).toEqual(failure(sentence));
    expect(writtenItems()).toBe(0);
  });

  it('is named when it belongs to another user', async () => {
    const { path, staging } = await stoppedImport();
    jest.spyOn(process as { getuid: () => number }, 'getuid').mockReturnValue(12_345);
    const sentence = `the staging file belongs to another user: ${staging}; --staging DIR puts it into another folder\n`;
    expect(await run(['import', 'vehicles', path])).toEqual(failure(sentence));
  });

  it('is not written to through a symbolic link in the place of its log', async () => {
    const { path, staging } = await stoppedImport();
    const target = await file('target', 'mine');
    await symlink(target, `${staging}-wal`);
    await run(['import', 'vehicles', path]);
    expect(readFileSync(target, 'utf8')).toBe('mine');
  });
});

it('A second import of a file into the same table fails with one sentence, and changes nothing', async () => {
  const path = await file('v.csv', manyVehicles('TWO'));
  let isBegun = false;
  let second: AdminOutput | undefined;
  // The first one cannot write before the second has ended.
  const choose = () => {
    if (!isBegun) void run(['import', 'vehicles', path]).then((result) => (second = result));
    isBegun = true;
    return second ? undefined : ('throttle' as const);
  };
  proxy().inject(forOperation('BatchWriteItem', choose));
  expect(await countedRun(['import', 'vehicles', path])).toMatchObject({ exitCode: 0 });
  const sentence = /another run works with this file and table: .*v\.csv\.\w+\.sqlite is in use\n$/;
  expect([second, stagingFilesOf(path)]).toEqual([failure(sentence), []]);
});

it('Of two runs that replace one staging file in the same moment, only one goes on', async () => {
  const { staging } = await stoppedImport();
  const replace = () => openStagingFile(staging, () => 'it is unusable');
  // The other one begins when this one has unlocked the old file.
  jest.spyOn(DatabaseSync.prototype, 'close').mockImplementationOnce(function (this: DatabaseSync) {
    this.close();
    replace().db.close();
  });
  expect(replace).toThrow(/^another run works with this file and table/);
});

it('A staging file that another run has just removed is not created again', async () => {
  const { path, staging } = await stoppedImport();
  jest.spyOn(process as { getuid: () => number }, 'getuid').mockImplementationOnce(() => {
    rmSync(staging);
    return statSync(path).uid;
  });
  expect(await run(['import', 'vehicles', path])).toEqual(failure(/another run works with this file and table/));
  expect(stagingFilesOf(path)).toEqual([]);
});

it('--staging puts the staging file into another folder, where the same command continues', async () => {
  const folder = pathOf('staging');
  const args = ['import', 'vehicles', await file('v.csv', manyVehicles('ELSE')), '--staging', folder];
  const sentence = /^error: the staging file cannot be created: there is no such file: .*; --staging DIR puts it into/;
  expect(await run(args)).toEqual(failure(sentence));
  await mkdir(folder);
  expect(await interruptedRun(args, 1, 'BatchWriteItem')).toMatchObject({ exitCode: 130 });
  expect([readdirSync(pathOf('.')), readdirSync(folder).length]).toEqual([['staging', 'v.csv'], 1]);
  expect(await run(args)).toMatchObject({ exitCode: 0, stderr: `The import ${CONTINUES}\n` });
  expect(readdirSync(folder)).toEqual([]);
});

it('Only the owner may read what an import and an export write, whatever the umask and earlier files permit', async () => {
  const path = await file('v.csv', `${manyVehicles('MODE')}${vehicleRow({ year: 'x' })}\n`);
  const exported = pathOf('all.ndjson');
  const modes: string[] = [];
  const readModes = (names: readonly string[]) =>
    void modes.push(...names.map((name) => (statSync(name).mode & 0o777).toString(8)));
  atCall(1, 'BatchWriteItem', () => readModes(stagingFilesOf(path).flatMap((name) => [name, `${name}-wal`])));
  const umask = process.umask(0);
  for (const earlier of [exported, `${exported}.part`]) writeFileSync(earlier, 'earlier', { mode: 0o666 });
  await countedRun(['import', 'vehicles', path]);
  await run(['export', 'content', exported]);
  process.umask(umask);
  readModes([`${path}.rejected.csv`, exported]);
  expect([modes, readFileSync(exported, 'utf8')]).toEqual([Array(4).fill('600'), '']);
  expect(readdirSync(pathOf('.')).toSorted()).toEqual(['all.ndjson', 'v.csv', 'v.csv.rejected.csv']);
});

it('A full disk ends an import with one sentence, and the same command loads everything and leaves no other file', async () => {
  // One vehicle in ten is rejected, so that each page of rows has both.
  const csv = manyVehicles('DISK', 1_000).replaceAll(/^(DISK\d*7,\w+,\w+),2019/gm, '$1,x');
  const path = await file('v.csv', csv);
  // A limit on the size of each file that a process writes is a stand-in for a full disk at any byte.
  const script = (kilobytes: number) => `ulimit -f ${kilobytes}; exec "$@"`;
  // While the first byte is written, and while rows are worked through.
  for (const kilobytes of [0, 172]) {
    const node = [process.execPath, ...processArguments('import', 'vehicles', path)];
    const { exitCode, stderr } = await ended(spawn('bash', ['-c', script(kilobytes), 'bash', ...node]));
    const sentence = expect.stringMatching(/^error: the staging file cannot be read or written: [^\n]*v\.csv[^\n]*\n$/);
    expect([exitCode, stderr, / were loaded before/.test(stderr)]).toEqual([2, sentence, kilobytes > 0]);
  }
  expect((await run(['import', 'vehicles', path])).exitCode).toBe(1);
  expect(readdirSync(pathOf('.')).toSorted()).toEqual(['v.csv', 'v.csv.rejected.csv']);
  expect(await rejectedLines(path)).toHaveLength(100);
});
