import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { openJournal, readJournal } from '../../lib/admin/file-command/journal.ts';
import { FROM_THE_START, type ResumePoint } from '../../lib/admin/file-command/resume-point.ts';
import { commandLine, failure, journalOf, NOW, readJournalOf, runCommand } from './command-line.ts';
import { manyVehicles, VEHICLES, vehicleRow, vehiclesCsv } from './import-files.ts';

const { run, file, pathOf, engine, atCall, countedRun, interruptedRun, writtenItems } = commandLine();

const stoppedImport = async (prefix: string): Promise<string> => {
  const path = await file('v.csv', manyVehicles(prefix));
  await interruptedRun(['import', 'vehicles', path], 1, 'BatchWriteItem');
  return path;
};

describe('The journal of a stopped import', () => {
  it('is reported and not used without --resume', async () => {
    const path = await stoppedImport('AGAIN');
    const written = writtenItems();
    const again = await countedRun(['import', 'vehicles', path]);
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.not.stringMatching(/skipped/) });
    expect(again.stderr).toMatch(/^Beginning with the first row again; --resume would have continued at line \d+\.\n$/);
    expect(writtenItems()).toBe(written + VEHICLES);
  });

  it('is replaced by that of an import with another table, which is reported', async () => {
    const path = await stoppedImport('OTHER');
    const { names, endpoint } = engine();
    const other = { ...names, vehicles: names.compliance };
    const { exitCode, stderr } = await runCommand(['import', 'vehicles', path, '--dynamodb', endpoint], other);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^This replaces the journal of a stopped import, .*was one with another table\.\n$/);
    expect(existsSync(journalOf(path))).toBe(false);
  });

  it('stays when another import has written it meanwhile', async () => {
    const path = await file('v.csv', vehiclesCsv(vehicleRow()));
    let others = '';
    atCall(1, 'BatchWriteItem', () => {
      const own = JSON.parse(readFileSync(journalOf(path), 'utf8')) as object;
      others = JSON.stringify({ ...own, startedAt: '2026-11-21T12:00:00.000Z' });
      writeFileSync(journalOf(path), others);
    });
    await countedRun(['import', 'vehicles', path]);
    expect(await readFile(journalOf(path), 'utf8')).toBe(others);
  });
});

describe('A journal that cannot be read', () => {
  const damaged = /v\.csv\.import\.json is damaged or was written by another version/;

  it.each<[string, (path: string) => Promise<unknown>, RegExp]>([
    ['an empty one, as after a power cut', (path) => writeFile(path, ''), damaged],
    ['one that is cut off', (path) => writeFile(path, '{"point":'), damaged],
    ['one of another program', (path) => writeFile(path, '{"point":{"line":0}}'), damaged],
    ['a folder', (path) => mkdir(path), /v\.csv\.import\.json cannot be read \(EISDIR\)/],
  ])('is reported, and rejects only --resume: %s', async (_case, damage, sentence) => {
    const path = await file('v.csv', vehiclesCsv(vehicleRow()));
    await damage(journalOf(path));
    expect(await run(['import', 'vehicles', path, '--resume'])).toEqual(failure(sentence));
    const { exitCode, stderr } = await run(['import', 'vehicles', path]);
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(sentence)]);
  });
});

describe('A journal that cannot be written', () => {
  const breakJournal = (path: string) => symlink('/no/such/folder/journal', `${journalOf(path)}.${process.pid}.part`);

  it('does not stop the import and is reported once; Ctrl-C then does not offer --resume', async () => {
    const path = await file('v.csv', manyVehicles('FULL'));
    await breakJournal(path);
    const stopped = await interruptedRun(['import', 'vehicles', path], 1, 'BatchWriteItem');
    expect(stopped.exitCode).toBe(130);
    expect(stopped.stderr).toMatch(/\nStopped by Ctrl-C; running it again is safe\.\n$/);
    const { exitCode, stderr } = await run(['import', 'vehicles', path]);
    const sentence = /^The progress cannot be saved in .*\(ENOENT\): if this import stops, it cannot be resumed\.\n$/;
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(sentence)]);
  });

  it('keeps the content of an earlier run, which is reported', async () => {
    const path = await stoppedImport('HALF');
    const before = await readJournalOf(path);
    await breakJournal(path);
    const { stderr } = await interruptedRun(['import', 'vehicles', path, '--resume'], 10, 'BatchWriteItem');
    expect(stderr).toMatch(/\(ENOENT\): if this import stops, it can be resumed at line \d+ only\.\n/);
    expect(stderr).toMatch(/; running it again is safe, and --resume continues where it stopped\.\n$/);
    expect(await readJournalOf(path)).toEqual(before);
  });
});

it('A journal is not updated with more than 2,000 pending lines', async () => {
  const identity = {
    command: 'import' as const,
    kind: 'content',
    dates: 'iso',
    ifNewer: false,
    file: { bytes: 1, changed: '', sampleHash: '' },
    table: { arn: '', created: '' },
  };
  const pointWith = (line: number, count: number): ResumePoint => ({
    ...FROM_THE_START,
    line,
    pending: Array.from({ length: count }, (_, index) => index + 1),
  });
  let point = pointWith(5_001, 2_000);
  const facts = { identity, resumeState: { point, startedAt: NOW, isResumed: false }, notice: () => undefined };
  const journal = openJournal({ ...facts, source: { path: pathOf('c.csv') } }, () => point);
  await journal.save();
  const written = await readJournal(pathOf('c.csv'), 'import');
  expect(written).toEqual({ identity, startedAt: NOW.toISOString(), point });
  point = pointWith(6_001, 2_001);
  await journal.save();
  expect(await readJournal(pathOf('c.csv'), 'import')).toEqual(written);
});
