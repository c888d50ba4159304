import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { forOperation } from '../../support/fault-choosers.ts';
import {
  CONTINUES,
  commandLine,
  ended,
  failure,
  rejectedFilesOf,
  runCommand,
  stagingFilesOf,
} from '../command-line.ts';
import { manyVehicles, VEHICLES, vehicleRow } from '../import-files.ts';

const { run, file, pathOf, engine, proxy, atCall, countedRun, interruptedRun, processArguments, ...line } =
  commandLine();
const { writtenItems, rejectedLines } = line;

afterEach(() => void jest.restoreAllMocks());

/** An import that was stopped, and its staging file. */
const stopped = async () => {
  const path = await file('v.csv', manyVehicles('STOP'));
  expect(await interruptedRun(['import', 'vehicles', path], 1, 'BatchWriteItem')).toMatchObject({ exitCode: 130 });
  proxy().reset();
  const [staging = ''] = stagingFilesOf(path);
  return { path, staging };
};

const sql = (text: string) => (path: string) => {
  const db = new DatabaseSync(path);
  db.exec(text);
  db.close();
};

describe('A staging file that cannot be continued', () => {
  const overwrite = (path: string, bytes: number): void => {
    const content = readFileSync(path);
    randomBytes(bytes).copy(content);
    writeFileSync(path, content);
  };

  const otherVersion = (path: string) => {
    const db = new DatabaseSync(path);
    const json = String(db.prepare('SELECT json FROM state').get()?.json).replace(/"version":\d/, '"version":1');
    db.prepare('UPDATE state SET json = ?, sum = ?').run(json, crc32(json));
    db.close();
  };

  it.each<[string, (path: string) => unknown, string]>([
    ['random bytes', (path) => overwrite(path, statSync(path).size), 'its staging file is damaged'],
    ['a random header', (path) => overwrite(path, 4_096), 'its staging file is damaged'],
    ['cut off', (path) => truncateSync(path, 8_192), 'its staging file is damaged'],
    ['empty', (path) => truncateSync(path), 'it was stopped while it read the file'],
    ['not complete', sql('DELETE FROM state'), 'it was stopped while it read the file'],
    ['changed', sql("UPDATE state SET json = json_set(json, '$.confirmed', 9)"), 'its staging file is damaged'],
    ['of another version', otherVersion, 'its staging file was written by another version'],
  ])('is replaced with a notice when it is %s', async (_case, damage, reason) => {
    const { path, staging } = await stopped();
    await damage(staging);
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
    const { path, staging } = await stopped();
    sql(damage)(staging);
    const sentence = / is damaged: .*; --restart begins with a new one(; \d+ records were loaded before)?\n$/;
    expect(await run(['import', 'vehicles', path])).toMatchObject({ ...failure(sentence), stdout: expect.anything() });
    expect(await run(['import', 'vehicles', path, '--restart'])).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('A file in the place of the staging file', () => {
  it.each<[string, (path: string) => unknown]>([
    ['a symbolic link', (path) => symlink('/etc/passwd', path)],
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
    ['a folder', (path) => mkdir(path)],
  ])('is named and left alone: %s', async (_case, put) => {
    const { path, staging } = await stopped();
    await rm(staging);
    await put(staging);
    const sentence = `error: this is not the staging file of a run, but has its name: ${staging}\n`;
    expect(await countedRun(['import', 'vehicles', path])).toEqual(failure(sentence));
    expect(writtenItems()).toBe(0);
  });

  it('is named when it belongs to another user', async () => {
    const { path, staging } = await stopped();
    jest.spyOn(process as { getuid: () => number }, 'getuid').mockReturnValue(12_345);
    const sentence = `the staging file belongs to another user: ${staging}; --staging DIR puts it into another folder\n`;
    expect(await run(['import', 'vehicles', path])).toEqual(failure(sentence));
  });

  it('is not written through when the log has the place of a symbolic link', async () => {
    const { path, staging } = await stopped();
    const target = await file('target', 'mine');
    await symlink(target, `${staging}-wal`);
    await run(['import', 'vehicles', path]);
    expect(readFileSync(target, 'utf8')).toBe('mine');
  });
});

describe('Two imports of one file at once', () => {
  /** Imports a file, and again when the first import begins to write, which it cannot before the second has ended. */
  const importTwice = async (path: string, names = engine().names) => {
    let second: ReturnType<typeof runCommand> | undefined;
    let hasEnded = false;
    const throttle = () => {
      second ??= runCommand(['import', 'vehicles', path, '--dynamodb', engine().endpoint], names).finally(() => {
        hasEnded = true;
      });
      return hasEnded ? undefined : ('throttle' as const);
    };
    proxy().inject(forOperation('BatchWriteItem', throttle));
    const first = await countedRun(['import', 'vehicles', path]);
    return [first, await second] as const;
  };

  it('into one table: the second gets a sentence and changes nothing', async () => {
    const path = await file('v.csv', manyVehicles('TWO', 2_000));
    const [first, second] = await importTwice(path);
    const sentence = /another run works with this file and table: .*v\.csv\.\w+\.sqlite is in use\n$/;
    expect([first.exitCode, second, stagingFilesOf(path)]).toEqual([0, failure(sentence), []]);
  });

  it('into two tables: both load all of it, and each names the file of the other', async () => {
    const path = await file('v.csv', manyVehicles('BOTH', 2_000));
    const [first, second] = await importTwice(path, { ...engine().names, vehicles: engine().names.compliance });
    const stdout = expect.stringMatching(/ 2,000 +2,000 +0 /);
    const notice = /v\.csv\.\w+\.sqlite is left of a run with another table or other options: run that again, or/;
    expect([first, second]).toMatchObject([{ stdout }, { stdout, stderr: expect.stringMatching(notice) }]);
    expect(stagingFilesOf(path)).toEqual([]);
  });
});

describe('--staging', () => {
  it('puts the staging file into another folder, where the same command continues', async () => {
    const path = await file('v.csv', manyVehicles('ELSE'));
    const folder = pathOf('staging');
    await mkdir(folder);
    const args = ['import', 'vehicles', path, '--staging', folder];
    expect(await interruptedRun(args, 1, 'BatchWriteItem')).toMatchObject({ exitCode: 130 });
    expect([stagingFilesOf(path), readdirSync(folder).length]).toEqual([[], 1]);
    expect(await run(args)).toMatchObject({ exitCode: 0, stderr: `The import ${CONTINUES}\n` });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is named when its folder does not exist', async () => {
    const path = await file('v.csv', manyVehicles('NONE', 1));
    const sentence =
      /^error: the staging file cannot be created: there is no such file: .*; --staging DIR puts it into/;
    expect(await run(['import', 'vehicles', path, '--staging', pathOf('none')])).toEqual(failure(sentence));
  });
});

it('Only the owner may read what an import and an export write, whatever the umask and earlier files permit', async () => {
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
  const path = await file('v.csv', `${manyVehicles('MODE')}${vehicleRow({ year: 'x' })}\n`);
  const exported = pathOf('all.ndjson');
  const modes: string[] = [];
  atCall(1, 'BatchWriteItem', () => {
    for (const name of stagingFilesOf(path)) modes.push(modeOf(name), modeOf(`${name}-wal`));
  });
  const umask = process.umask(0);
  for (const earlier of [[], [exported, `${exported}.part`]]) {
    for (const each of earlier) {
      writeFileSync(each, 'earlier');
      chmodSync(each, 0o666);
    }
    await countedRun(['import', 'vehicles', path]);
    await run(['export', 'content', exported]);
    modes.push(modeOf(rejectedFilesOf(path).at(-1) ?? ''), modeOf(exported));
  }
  process.umask(umask);
  expect(modes).toEqual(Array(6).fill('600'));
  const rejected = ['v.csv.rejected-2.csv', 'v.csv.rejected.csv'];
  expect(readdirSync(pathOf('.')).toSorted()).toEqual(['all.ndjson', 'v.csv', ...rejected]);
});

it('A full disk ends an import with one sentence, and the same command loads everything and leaves no other file', async () => {
  // One vehicle in ten is rejected, so that each page of rows has both.
  const csv = manyVehicles('DISK', 1_000).replaceAll(/^(DISK\d*7,\w+,\w+),2019/gm, '$1,x');
  const path = await file('v.csv', csv);
  // A limit on the size of each file that a process writes is a stand-in for a full disk at any byte.
  const script = (kilobytes: number) => `ulimit -f ${kilobytes}; exec "$@"`;
  // While the first byte is written, while rows are staged, and while they are worked through.
  for (const kilobytes of [0, 120, 164]) {
    const node = [process.execPath, ...processArguments('import', 'vehicles', path)];
    const { exitCode, stderr } = await ended(spawn('bash', ['-c', script(kilobytes), 'bash', ...node]));
    const sentence = expect.stringMatching(/^error: the staging file cannot be read or written: [^\n]*v\.csv[^\n]*\n$/);
    expect([exitCode, stderr, / were loaded before/.test(stderr)]).toEqual([2, sentence, kilobytes === 164]);
  }
  expect((await run(['import', 'vehicles', path])).exitCode).toBe(1);
  expect(readdirSync(pathOf('.')).toSorted()).toEqual(['v.csv', 'v.csv.rejected.csv']);
  expect(await rejectedLines(path)).toHaveLength(100);
});
