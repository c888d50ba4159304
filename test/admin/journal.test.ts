import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { openJournal, readJournal } from '../../lib/admin/import/run/journal.ts';
import { FROM_THE_START, type ResumePoint } from '../../lib/admin/import/run/resume-point.ts';
import { NOW, runCommand } from './command-line.ts';
import { journalOf, readJournalOf, stoppableCommandLine } from './stopped-runs.ts';
import { manyVehicles, VEHICLES, vehicleRow, vehiclesCsv } from './vehicle-files.ts';

const { run, file, pathOf, engine, atCall, countedRun, interruptedRun, writtenItems } = stoppableCommandLine();

describe('The journal of an import that was stopped', () => {
  it('is left aside without --resume, which is said', async () => {
    const path = await file('v.csv', manyVehicles('ANEW'));
    await interruptedRun(['import', 'vehicles', path], 1, 'BatchWriteItem');
    const written = writtenItems();
    const again = await countedRun(['import', 'vehicles', path]);
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.not.stringMatching(/skipped/) });
    expect(again.stderr).toMatch(/^Loading the whole file again; --resume would have continued at line \d+\.\n$/);
    expect(writtenItems()).toBe(written + VEHICLES);
  });

  it('is replaced by that of an import into another table, which is said', async () => {
    const path = await file('v.csv', manyVehicles('OTHER'));
    await interruptedRun(['import', 'vehicles', path], 1, 'BatchWriteItem');
    const { names, endpoint } = engine();
    const other = { ...names, vehicles: names.compliance };
    const { exitCode, stderr } = await runCommand(['import', 'vehicles', path, '--dynamodb', endpoint], other);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^This replaces the journal of a stopped import, .*was an import into another table\.\n$/);
    expect(existsSync(journalOf(path))).toBe(false);
  });

  it('stays when it is that of another import, which goes on after this one', async () => {
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

describe('A journal that is of no use', () => {
  const damages: readonly (readonly [string, (path: string) => Promise<unknown>, RegExp])[] = [
    [
      'is empty, as after a power cut',
      (path) => writeFile(path, ''),
      /v\.csv\.import\.json is damaged or was written by another version/,
    ],
    [
      'is none of ours',
      (path) => writeFile(path, '{"point":{"line":0}}'),
      /v\.csv\.import\.json is damaged or was written by another version/,
    ],
    ['is a folder', (path) => mkdir(path), /v\.csv\.import\.json cannot be read \(EISDIR\)/],
  ];

  it.each(damages)('because it %s stops --resume and nothing else, and is named', async (_case, damage, sentence) => {
    const path = await file('v.csv', vehiclesCsv(vehicleRow()));
    await damage(journalOf(path));
    expect(await run(['import', 'vehicles', path, '--resume'])).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(sentence),
    });
    expect(await run(['import', 'vehicles', path])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(sentence),
    });
  });
});

describe('A journal that cannot be written', () => {
  it('does not stop the import, which is said once', async () => {
    const path = await file('v.csv', manyVehicles('FULL'));
    await symlink('/no/such/folder/journal', `${journalOf(path)}.${process.pid}.part`);
    const { exitCode, stderr } = await run(['import', 'vehicles', path]);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(
      /^The progress cannot be saved in .*\(ENOENT\): if this import stops, it cannot be resumed\.\n$/,
    );
  });

  it('is promised to nobody at Ctrl-C', async () => {
    const path = await file('v.csv', manyVehicles('NONE'));
    await symlink('/no/such/folder/journal', `${journalOf(path)}.${process.pid}.part`);
    const { exitCode, stderr } = await interruptedRun(['import', 'vehicles', path], 1, 'BatchWriteItem');
    expect(exitCode).toBe(130);
    expect(stderr).toMatch(/\nStopped by Ctrl-C; loading the file again is safe\.\n$/);
  });

  it('stands as it was written before, which is said', async () => {
    const path = await file('v.csv', manyVehicles('HALF'));
    await interruptedRun(['import', 'vehicles', path], 1, 'BatchWriteItem');
    const before = await readJournalOf(path);
    await symlink('/no/such/folder/journal', `${journalOf(path)}.${process.pid}.part`);
    const { stderr } = await interruptedRun(['import', 'vehicles', path, '--resume'], 10, 'BatchWriteItem');
    expect(stderr).toMatch(/\(ENOENT\): if this import stops, it can be resumed at line \d+ only\.\n/);
    expect(stderr).toMatch(/; loading the file again is safe, and --resume continues where it stopped\.\n$/);
    expect(await readJournalOf(path)).toEqual(before);
  });
});

describe('A journal of very many pending lines', () => {
  it('is not updated', async () => {
    const identity = {
      kind: 'content',
      file: { bytes: 1, changed: '', sampleHash: '' },
      table: { arn: '', created: '' },
    };
    const pendingLines = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
    let point: ResumePoint = { ...FROM_THE_START, line: 5_001, pending: pendingLines(2_000) };
    const facts = { identity, startedAt: NOW.toISOString(), resumedFrom: undefined };
    const journal = openJournal(pathOf('c.csv'), facts, () => point, process.stderr);
    await journal.save();
    const written = await readJournal(pathOf('c.csv'));
    expect(written).toEqual({ identity, startedAt: facts.startedAt, point });
    point = { ...FROM_THE_START, line: 6_001, pending: pendingLines(2_001) };
    await journal.save();
    expect(await readJournal(pathOf('c.csv'))).toEqual(written);
  });
});
