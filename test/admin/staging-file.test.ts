import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { readState, rowStaging, stagedRows } from '../../lib/admin/file-command/staged-rows.ts';
import { openStagingFile } from '../../lib/admin/file-command/staging-file.ts';
import { CONTINUES, commandLine, failure, NOW, runCommand, stagingFilesOf } from './command-line.ts';
import { manyVehicles, VEHICLES } from './import-files.ts';

const { run, file, pathOf, engine, proxy, atCall, countedRun, interruptedRun, writtenItems } = commandLine();

afterEach(() => void jest.restoreAllMocks());

/** An import that was stopped, and its staging file. */
const stopped = async (prefix: string, batch = 1) => {
  const path = await file('v.csv', manyVehicles(prefix));
  expect(await interruptedRun(['import', 'vehicles', path], batch, 'BatchWriteItem')).toMatchObject({ exitCode: 130 });
  const [staging = ''] = stagingFilesOf(path);
  return { path, staging };
};

const overwrite = (path: string, from: number, bytes: number): void => {
  const content = readFileSync(path);
  randomBytes(bytes).copy(content, from);
  writeFileSync(path, content);
};

describe('A staging file that cannot be continued', () => {
  const sql = (text: string) => (path: string) => {
    const db = new DatabaseSync(path);
    db.exec(text);
    db.close();
  };

  const otherVersion = (path: string) => {
    const db = new DatabaseSync(path);
    const json = String(db.prepare('SELECT json FROM state').get()?.json).replace('"version":2', '"version":1');
    db.prepare('UPDATE state SET json = ?, sum = ?').run(json, crc32(json));
    db.close();
  };

  it.each<[string, (path: string) => unknown, string]>([
    ['random bytes', (path) => overwrite(path, 0, statSync(path).size), 'its staging file is damaged'],
    ['a random header', (path) => overwrite(path, 0, 4_096), 'its staging file is damaged'],
    ['cut off', (path) => truncateSync(path, 8_192), 'its staging file is damaged'],
    ['empty', (path) => truncateSync(path), 'it was stopped while it read the file'],
    ['not complete', sql('DELETE FROM state'), 'it was stopped while it read the file'],
    [
      'of another position',
      sql("UPDATE state SET json = json_set(json, '$.confirmed', 9)"),
      'its staging file is damaged',
    ],
    ['of another version', otherVersion, 'its staging file was written by another version'],
  ])('is replaced with a notice when it is %s', async (_case, damage, reason) => {
    const { path, staging } = await stopped('AGAIN');
    await damage(staging);
    proxy().reset();
    expect(await countedRun(['import', 'vehicles', path])).toMatchObject({
      exitCode: 0,
      stdout: expect.not.stringContaining('skipped'),
      stderr: `The import begins again: ${reason}.\n`,
    });
    expect([writtenItems(), stagingFilesOf(path)]).toEqual([VEHICLES, []]);
  });

  it.each<[string, string]>([
    ['other text', "UPDATE rows SET text = replace(text, 'Ford', 'Fort') WHERE line = 3001"],
    ['another key', "UPDATE rows SET key = 'ZZZ0' WHERE line = 3001"],
    ['a row less', 'DELETE FROM rows WHERE line = 3001'],
  ])('is named with --restart when its damage shows while it is read: %s', async (_case, damage) => {
    const { path, staging } = await stopped('LATER');
    sql(damage)(staging);
    expect(await run(['import', 'vehicles', path])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        / is damaged: .*; --restart begins with a new one(; \d+ records were loaded before)?\n$/,
      ),
    });
    expect(await run(['import', 'vehicles', path, '--restart'])).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('A file in the place of the staging file', () => {
  it.each<[string, (path: string) => unknown]>([
    ['a symbolic link', (path) => symlink('/etc/passwd', path)],
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
    ['a folder', (path) => mkdir(path)],
  ])('is named and left alone: %s', async (_case, put) => {
    const { path, staging } = await stopped('PLACE');
    await rm(staging);
    await put(staging);
    proxy().reset();
    const sentence = `error: this is not the staging file of a run, but has its name: ${staging}\n`;
    expect(await countedRun(['import', 'vehicles', path])).toEqual({ exitCode: 2, stdout: '', stderr: sentence });
    expect(writtenItems()).toBe(0);
  });

  it('is named when it belongs to another user', async () => {
    const { path, staging } = await stopped('OWNER');
    jest.spyOn(process as { getuid: () => number }, 'getuid').mockReturnValue(12_345);
    const sentence = `the staging file belongs to another user: ${staging}; --staging DIR puts it into another folder\n`;
    expect(await run(['import', 'vehicles', path])).toEqual(failure(sentence));
  });

  it('is named when the log has the place of a symbolic link', async () => {
    const { path, staging } = await stopped('LOG');
    const target = await file('target', 'mine');
    await symlink(target, `${staging}-wal`);
    await run(['import', 'vehicles', path]);
    expect(readFileSync(target, 'utf8')).toBe('mine');
  });
});

describe('Two imports of one file at once', () => {
  it('into one table: the second gets a sentence and changes nothing', async () => {
    const path = await file('v.csv', manyVehicles('TWO'));
    let second: ReturnType<typeof run> | undefined;
    atCall(1, 'BatchWriteItem', () => {
      second = run(['import', 'vehicles', path]);
    });
    expect(await countedRun(['import', 'vehicles', path])).toMatchObject({ exitCode: 0 });
    expect(await second).toEqual(
      failure(/another run works with this file and table: .*v\.csv\.\w+\.sqlite is in use\n$/),
    );
    expect(stagingFilesOf(path)).toEqual([]);
  });

  it('into two tables: both load all of it, and each names the file of the other', async () => {
    const path = await file('v.csv', manyVehicles('BOTH'));
    const { names, endpoint } = engine();
    let second: ReturnType<typeof run> | undefined;
    atCall(1, 'BatchWriteItem', () => {
      second = runCommand(['import', 'vehicles', path, '--dynamodb', endpoint], {
        ...names,
        vehicles: names.compliance,
      });
    });
    const loaded = expect.stringMatching(/ 3,000 +1,000 +0 /);
    expect(await countedRun(['import', 'vehicles', path])).toMatchObject({ exitCode: 0, stdout: loaded });
    const notice = /v\.csv\.\w+\.sqlite is left of a run with another table or other options: run that again, or/;
    expect(await second).toMatchObject({ exitCode: 0, stdout: loaded, stderr: expect.stringMatching(notice) });
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
    expect(await run(['import', 'vehicles', path, '--staging', pathOf('none')])).toEqual(
      failure(
        /^error: the staging file cannot be created: there is no such file: .*; --staging DIR puts it into another/,
      ),
    );
  });
});

describe('A disk that is full', () => {
  it('leaves the saved position when SQLite forgets what was found since', async () => {
    const path = pathOf('rows.sqlite');
    const { db } = openStagingFile(path, () => undefined);
    const staging = rowStaging(db);
    for (let line = 1; line <= 1_000; line += 1) staging.add({ line, text: `${line}` }, '');
    const identity = { version: 1, file: [], created: undefined };
    const staged = stagedRows(db, staging.end({ identity, started: NOW.toISOString(), layout: 'txt' }));
    staged.reject(1, 1, ['bad']);
    db.exec(`PRAGMA max_page_count = ${Number(db.prepare('PRAGMA page_count').get()?.page_count)}`);
    const fill = () => {
      for (let line = 2; line <= 1_000; line += 1) staged.reject(line, line, ['x'.repeat(1_000)]);
    };
    expect(fill).toThrow('full');
    staged.save(500);
    db.close();
    const again = openStagingFile(path, () => undefined);
    expect(readState(again.db)?.confirmed).toBe(0);
    again.db.close();
  });

  /** The CLI with a limit on the size of each file it writes, in kB: a stand-in for a full disk at any byte. */
  const limited = (kilobytes: number, ...args: string[]) => {
    const { names, endpoint } = engine();
    const target = ['--dynamodb', endpoint, '--tables', names.keys.replace(/keys$/, '')];
    const node = [process.execPath, '--disable-warning=ExperimentalWarning', 'bin/admin.ts', ...args, ...target];
    const script = `ulimit -f ${kilobytes}; exec "$@"`;
    return new Promise<{ status: number | null; stderr: string }>((resolve) => {
      const child = execFile('bash', ['-c', script, 'bash', ...node], (_error, _stdout, stderr) =>
        resolve({ status: child.exitCode, stderr }),
      );
    });
  };

  it('ends an import with one sentence, leaves no part of a file, and the same command loads everything', async () => {
    // One vehicle in ten is rejected, so that each page of rows has both.
    const csv = manyVehicles('DISK').replaceAll(/^(DISK\d*7,\w+,\w+),2019/gm, '$1,x');
    const path = await file('v.csv', csv);
    for (const kilobytes of [0, 33, 200, 424, 428, 432, 436, 440, 444, 448, 452]) {
      const { status, stderr } = await limited(kilobytes, 'import', 'vehicles', path);
      if (status === 1) continue;
      expect([status, stderr]).toEqual([
        2,
        expect.stringMatching(/error: the (staging file|disk|file) [^\n]*v\.csv[^\n]*\n$/),
      ]);
      expect(readdirSync(pathOf('.')).filter((name) => name.endsWith('.part'))).toEqual([]);
    }
    expect((await run(['import', 'vehicles', path])).exitCode).toBe(1);
    expect(readdirSync(pathOf('.')).toSorted()).toEqual([basename(path), `${basename(path)}.rejected.ndjson`]);
    expect(spawnSync('wc', ['-l', `${path}.rejected.ndjson`], { encoding: 'utf8' }).stdout).toMatch(/^300 /);
  });
});
