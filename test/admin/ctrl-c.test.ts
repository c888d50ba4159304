import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { stopListener } from '../../bin/stop-signals.ts';
import { contentTable } from '../../core/content/content-table.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { CAN_CONTINUE, commandLine, stagingFilesOf } from './command-line.ts';
import { ITEM_IDS, itemLine, manyVehicles, vehicleRow, vehiclesCsv } from './import-files.ts';

const { file, load, engine, interruptedRun, rejectedLines, signalledRun } = commandLine();

/** With which a terminal is told to hide its cursor, or not to wrap lines. */
const PRIVATE_MODE = '\u001b[?';

describe('A signal that asks the process to stop', () => {
  it.each([
    ['is one request when npm repeats it within a second', [500, 501, 1_499], ['stop']],
    ['is a second request when it comes a second later', [500, 1_500], ['stop', 'stop now']],
  ])('%s', (_title, moments, expected) => {
    const calls: string[] = [];
    const actions = { stop: () => calls.push('stop'), stopNow: () => calls.push('stop now') };
    let now = 0;
    const listener = stopListener(actions, () => now);
    for (now of moments) listener();
    expect(calls).toEqual(expected);
  });
});

describe('Ctrl-C', () => {
  it('ends an import with its summary and how to continue it, even when two signals arrive', async () => {
    const path = await file('v.csv', manyVehicles('SIGNAL', 5_000, 1));
    // Both are pending before the process sees either, so that they are one request however slow the machine is.
    const signals: NodeJS.Signals[] = ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'];
    const ended = await signalledRun(['import', 'vehicles', path], 1, 'BatchWriteItem', signals);
    expect(ended).toMatchObject({
      exitCode: 130,
      stdout: expect.stringMatching(/rows read +vehicles loaded/),
      stderr: `Stopped by Ctrl-C; ${CAN_CONTINUE}.\n`,
    });
  });

  it('leaves the modes of the terminal as they are, so that nothing must be undone', async () => {
    const program = `
      import { showProgress } from './lib/admin/command/progress.ts';
      showProgress({ stderr: Object.assign(process.stderr, { isTTY: true }), showsProgress: true }, 'vehicles', 100);
      process.exit(130);`;
    const written = await text(spawn(process.execPath, ['--input-type=module', '--eval', program]).stderr);
    expect(written).toContain('vehicles');
    expect(written).not.toContain(PRIVATE_MODE);
  });

  it('leaves nothing when it comes while the file is read', async () => {
    const stopped = await load('vehicles', 'v.csv', vehiclesCsv(vehicleRow()), { signal: AbortSignal.abort() });
    expect(stopped).toMatchObject({
      exitCode: 130,
      stderr: 'Stopped by Ctrl-C; nothing was loaded.\n',
    });
    expect(stagingFilesOf(stopped.path)).toEqual([]);
  });

  it('does not stop the last writes', async () => {
    const path = await file('v.csv', vehiclesCsv(vehicleRow()));
    const ended = await interruptedRun(['import', 'vehicles', path], 1, 'BatchWriteItem');
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(stagingFilesOf(path)).toEqual([]);
  });

  it('does not stop the retries of rows that waited for a slug', async () => {
    const [waiting, holder, rejected] = ITEM_IDS;
    await load(
      'content',
      'owners.ndjson',
      [itemLine('mine', { id: waiting }), itemLine('wanted', { id: holder })].join('\n'),
    );
    const rows = [
      ['wanted', waiting],
      ['elsewhere', holder],
      ['wanted', rejected],
    ] as const;
    const path = await file('c.ndjson', rows.map(([slug, id]) => itemLine(slug, { id })).join('\n'));
    // The first row does not get its slug, the second frees it, and the first is tried again.
    const { exitCode, stderr } = await interruptedRun(['import', 'content', path], 3, 'TransactWriteItems');
    expect([exitCode, stderr]).toEqual([1, expect.not.stringContaining('Stopped')]);
    expect(await rejectedLines(path)).toMatchObject([{ line: 3 }]);
    expect(stagingFilesOf(path)).toEqual([]);
    const content = contentTable(engine().client, engine().names.content, 'live');
    const { items } = await content.list({ domain: 'a.example' }, { offset: 0, limit: 9 }, deadlineIn(5_000));
    expect(items.map(({ slug }) => slug).toSorted()).toEqual(['elsewhere', 'wanted']);
  });
});
