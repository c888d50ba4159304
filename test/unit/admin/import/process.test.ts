import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { stopListener } from '../../../../bin/stop-signals.ts';
import { forOperation, onNthCall } from '../../../support/fault-choosers.ts';
import { manyVehicles, vehicleRow, vehiclesCsv } from '../../../support/import-files.ts';
import { outcomeOf } from '../../../support/program.ts';
import { aVehicle } from '../../../support/records.ts';
import { type AdminOutput, BEGINS_AGAIN, failure, useAdmin } from '../../../support/use-admin.ts';

const admin = useAdmin();
const { run, file, proxy, store, stored, findVehicle, countedRun } = admin;

const importing = (path: string, ...options: string[]) => ['import', 'vehicles', path, ...options];
const counts = async (output: Promise<AdminOutput>) => JSON.parse((await output).stdout);
/** A Ctrl-C that comes after a command has looked for it so many times. */
const interruptionAfter = (looks: number): AbortSignal => {
  let left = looks;
  return Object.defineProperty(new AbortController().signal, 'aborted', { get: () => left-- <= 0 });
};

it('An import says after an error of the database what was done before', async () => {
  const bad = vehicleRow({ registration: 'AAA', year: 'x' });
  const path = await file('v.csv', `${manyVehicles('FAULT')}${bad}\n`);
  proxy().inject(forOperation('PutItem', onNthCall(60, 'deny')));
  const failed = await countedRun(importing(path));
  proxy().reset();
  const before = (await stored()).filter(({ registration }) => registration.startsWith('FAULT')).length;
  expect(failed).toEqual(failure(`AccessDeniedException; ${before} records were loaded before; ${BEGINS_AGAIN}\n`));
  const rest = { loaded: 120 - before, unchanged: before };
  expect(await counts(countedRun(importing(path, '--json')))).toMatchObject(rest);
});

it('An import does not replace a record without a revision that has got one since it was read', async () => {
  const newer = { ...aVehicle('OLD'), lastUpdated: '2026-10-01T00:00:00.000Z', revision: 'other' };
  await store('vehicles', aVehicle('OLD'));
  let writing: Promise<unknown> | undefined;
  proxy().inject(({ operation }) => {
    if (operation !== 'PutItem' || writing !== undefined) return undefined;
    writing = store('vehicles', newer);
    // The SDK sends it again.
    return 'error';
  });
  const path = await file(
    'v.csv',
    vehiclesCsv(vehicleRow({ registration: 'OLD', last_updated: '2026-09-01T00:00:00Z' })),
  );
  expect(await counts(countedRun(importing(path, '--if-newer', '--json')))).toMatchObject({ kept: 1 });
  await writing;
  expect(await findVehicle('OLD')).toEqual(newer);
});

describe('Ctrl-C', () => {
  it('is one request when npm repeats it within a second, and a second request a second later', () => {
    const calls: string[] = [];
    let now = 0;
    const actions = { stop: () => calls.push(`stop at ${now}`), stopNow: () => calls.push(`stop now at ${now}`) };
    const listener = stopListener(actions, () => now);
    for (now of [500, 501, 1_499, 1_500]) listener();
    expect(calls).toEqual(['stop at 500', 'stop now at 1500']);
  });

  it('ends an import with its summary and the rows rejected until then; the same command writes only the rest', async () => {
    const bad = vehicleRow({ registration: 'AAA', year: 'x' });
    const path = await file('v.csv', `${manyVehicles('STOP', 120, 3)}${bad}\n`);
    const stopped = await admin.interruptedRun(importing(path), 1, 'PutItem');
    const stderr = expect.stringContaining(`Stopped by Ctrl-C; ${BEGINS_AGAIN}.\n`);
    expect(stopped).toMatchObject({ exitCode: 130, stderr });
    expect(stopped.stderr).toContain(`1 row was rejected until then; the reasons are in ${path}.rejected.csv\n`);
    const written = admin.writes().length;
    // Not the rest of what was read at a time: that could take longer than a process may take to end.
    expect(written).toBeLessThan(2 * 32);
    const own = (await stored()).filter(({ registration }) => registration.startsWith('STOP'));
    expect(new Set(own.map(({ policies }) => policies.length))).toEqual(new Set([3]));
    proxy().reset();
    const rest = { loaded: 120 - written, unchanged: written };
    expect(await counts(countedRun(importing(path, '--json')))).toMatchObject(rest);
    expect(admin.writes()).toHaveLength(120 - written);
  });

  it('ends the process of an import, even when two signals arrive', async () => {
    const path = await file('v.csv', manyVehicles('SIGNAL', 300));
    const child = spawn(process.execPath, admin.processArguments(...importing(path)));
    // Both are pending before the process sees either, so that they are one request however slow the machine is.
    const signals = ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const;
    admin.atCall(1, 'PutItem', () => {
      for (const signal of signals) child.kill(signal);
    });
    expect(await outcomeOf(child)).toMatchObject({
      exitCode: 130,
      stdout: expect.stringMatching(/rows read +vehicles loaded/),
      stderr: `Stopped by Ctrl-C; ${BEGINS_AGAIN}.\n`,
    });
  });

  it('is obeyed while the file is read and while the table is scanned, and nothing is changed then', async () => {
    const path = await file('v.csv', vehiclesCsv(vehicleRow({ registration: 'LAST' })));
    const before = await stored();
    const complete = importing(path, '--complete', '--remove-at-most=100%', '--lose-cover-at-most=100%');
    for (const looks of [0, 1]) {
      expect(await run(complete, { signal: interruptionAfter(looks) })).toMatchObject({ exitCode: 130 });
    }
    expect(await stored()).toEqual(before);
  });
});

it('--staging names the folder of temporary files, and one that cannot be used is a sentence', async () => {
  const path = await file('v.csv', manyVehicles('ELSE', 3));
  const sentence =
    /^error: the rows cannot be staged, and nothing was done: there is no such file: .*staging; --staging DIR names another folder\n$/;
  expect(await run(importing(path, '--staging', admin.pathOf('staging')))).toEqual(failure(sentence));
  expect(await run(importing(path, '--staging', tmpdir()))).toMatchObject({ exitCode: 0 });
  expect(readdirSync(admin.pathOf('.'))).toEqual(['v.csv', 'v.csv.changes.ndjson']);
});

it('A full temporary folder ends an import with one sentence, and leaves no other file', async () => {
  // More than SQLite keeps in memory; too long for a text, so that every row is rejected.
  const rows = Array.from({ length: 300 }, (_, nth) =>
    vehicleRow({ registration: `F${nth}`, make: 'x'.repeat(90_000) }),
  );
  const path = await file('v.csv', vehiclesCsv(...rows));
  // A limit on the size of each file that a process writes is a stand-in for a full disk.
  const node = [process.execPath, ...admin.processArguments(...importing(path))];
  const { exitCode, stderr } = await outcomeOf(spawn('bash', ['-c', 'ulimit -f 1000; exec "$@"', 'bash', ...node]));
  const sentence = /^error: [^\n]* in \S+; nothing was changed; --staging DIR names another folder\n$/;
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(sentence) });
  expect(readdirSync(admin.pathOf('.'))).toEqual(['v.csv']);
});

it('Only the owner may read what an import and an export write, whatever the umask and earlier files permit', async () => {
  const path = await file('v.csv', `${manyVehicles('MODE', 3)}${vehicleRow({ year: 'x' })}\n`);
  const exported = admin.pathOf('all.ndjson');
  const umask = process.umask(0);
  writeFileSync(exported, 'earlier', { mode: 0o666 });
  await run(importing(path));
  await run(['export', 'content', exported]);
  process.umask(umask);
  const written = ['all.ndjson', 'v.csv.changes.ndjson', 'v.csv.rejected.csv'].map((name) => admin.pathOf(name));
  for (const name of written) expect(statSync(name).mode & 0o777).toBe(0o600);
  expect(readFileSync(exported, 'utf8')).toBe('');
  expect(readdirSync(admin.pathOf('.'))).toHaveLength(written.length + 1);
});
