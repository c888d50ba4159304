import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { contentTable } from '../../functions/content/content-table.ts';
import { deadlineIn } from '../../functions/runtime/deadline.ts';
import { journalOf, stoppableCommandLine } from './stopped-runs.ts';
import { VEHICLE_HEADER, vehicleRow, vehiclesCsv } from './vehicle-files.ts';

const { run, file, engine, interruptedRun, rejectedLines, signalledRun } = stoppableCommandLine();

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';

const ids = ['11111111-2222-4333-8444-555555555551', '11111111-2222-4333-8444-555555555552'] as const;
const item = (slug: string, fields: object = {}) =>
  JSON.stringify({ title: 'T', content: 'C', domain: 'end.example', slug, ...fields });

describe('Ctrl-C', () => {
  it.each([
    ['twice', ['SIGINT', 'SIGINT']],
    // The system delivers two equal signals that are pending as one.
    ['as two signals', ['SIGINT', 'SIGTERM']],
  ] as const)('ends an import with its summary and how to resume it when it arrives %s', async (_how, signals) => {
    const rows = Array.from({ length: 5_000 }, (_, index) => vehicleRow({ registration: `AB${index}` }));
    const path = await file('v.csv', vehiclesCsv(...rows));
    const { exitCode, stdout, stderr } = await signalledRun(['import', 'vehicles', path], 1, 'BatchWriteItem', signals);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 130,
      stderr: 'Stopped by Ctrl-C; loading the file again is safe, and --resume continues where it stopped.\n',
    });
    expect(stdout).toMatch(/rows read +vehicles loaded/);
  });

  it('gives the cursor back however the process ends', async () => {
    const program = `
      import { showProgress } from './lib/admin/command/progress.ts';
      showProgress(Object.assign(process.stderr, { isTTY: true }), 'vehicles', 100);
      process.exit(130);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
    const written = await text(child.stderr);
    expect(written).toContain(HIDE_CURSOR);
    expect(written.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(written.lastIndexOf(HIDE_CURSOR));
  });

  it('finds nothing to resume in a file that has no rows', async () => {
    const path = await file('v.csv', VEHICLE_HEADER);
    expect(await run(['import', 'vehicles', path], { signal: AbortSignal.abort() })).toMatchObject({
      exitCode: 130,
      stderr: 'Stopped by Ctrl-C; loading the file again is safe.\n',
    });
  });

  it('stops nothing any more while the last rows are written', async () => {
    const path = await file('v.csv', vehiclesCsv(vehicleRow()));
    expect(await interruptedRun(['import', 'vehicles', path], 1, 'BatchWriteItem')).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
    expect(existsSync(journalOf(path))).toBe(false);
  });

  it('stops nothing any more while rows are tried again that waited for a slug', async () => {
    const [waiting, holder] = ids;
    const owners = [item('mine', { id: waiting }), item('wanted', { id: holder })];
    await run(['import', 'content', await file('owners.ndjson', owners.join('\n'))]);
    const unlucky = item('wanted', { id: ids[0].replace(/1$/, '3') });
    const rows = [item('wanted', { id: waiting }), item('elsewhere', { id: holder }), unlucky];
    const path = await file('c.ndjson', rows.join('\n'));
    // The first is refused its slug, the second moves, and the first is tried again.
    const { exitCode, stderr } = await interruptedRun(['import', 'content', path], 3, 'TransactWriteItems');
    expect([exitCode, stderr]).toEqual([1, expect.not.stringContaining('Stopped')]);
    expect(await rejectedLines(path)).toMatchObject([{ line: 3 }]);
    expect(existsSync(journalOf(path))).toBe(false);
    const content = contentTable(engine().client, engine().names.content);
    const { items } = await content.list({ domain: 'end.example' }, { offset: 0, limit: 9 }, deadlineIn(5_000));
    expect(items.map(({ slug }) => slug).toSorted()).toEqual(['elsewhere', 'wanted']);
  });
});
