import { readFileSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { complianceLine, manyVehicles, vehicleRow, vehiclesCsv } from '../../support/import-files.ts';
import { failure, NOW, useAdmin } from '../../support/use-admin.ts';

const admin = useAdmin();
const { run, json, file, load, countedRun, atCall, pathOf, clear } = admin;

const ENDED = { valid_from: '2025-01-01', valid_to: '2025-12-31' };
const acme = (...rows: string[]) => load('vehicles', 'a.csv', vehiclesCsv(...rows), '--supplier', 'acme');

/** The lines of a changes file, of which the first one is about the load. */
const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

beforeEach(clear);

describe('The changes file of a load', () => {
  it('says what the load was, then of each changed record what was stored and what is written', async () => {
    await acme(...['V1', 'V2', 'V3'].map((registration) => vehicleRow({ registration })));
    const rows = [vehicleRow({ registration: 'V1', ...ENDED }), vehicleRow({ registration: 'V2' })];
    const path = await file('b.csv', vehiclesCsv(...rows, vehicleRow({ registration: 'V4' })));
    const args = ['import', 'vehicles', path, '--supplier', 'acme', '--complete', '--lose-cover-at-most=2'];
    const result = await json<object>(args);
    const changesFile = `${path}.changes.ndjson`;
    expect(result).toMatchObject({ changesFile, becameInsured: 1, noLongerInsured: 2 });
    const [first, ...lines] = linesOf(changesFile);
    expect(first).toEqual({
      load: expect.stringMatching(/^20261121T120030Z-[0-9a-f]{8}$/),
      stack: admin.engine().endpoint,
      table: admin.engine().names.vehicles,
      kind: 'vehicles',
      supplier: 'acme',
      began: NOW.toISOString(),
      dryRun: false,
    });
    const policies = [expect.objectContaining({ validTo: '2026-12-31' })];
    const before = { acme: expect.objectContaining({ policies }) };
    const lastUpdated = '2026-01-02T03:04:05.000Z';
    const written = { acme: { digest: expect.stringMatching(/^[\w-]{22}$/), lastUpdated } };
    expect(lines.toSorted((a, b) => (a.registration < b.registration ? -1 : 1))).toEqual([
      { registration: 'V1', change: 'replaced', before, written, insuredBefore: true, insuredAfter: false },
      { registration: 'V3', change: 'removed', before, insuredBefore: true, insuredAfter: false },
      { registration: 'V4', change: 'created', written, insuredBefore: false, insuredAfter: true },
    ]);
  });

  it('has each line before its write is sent', async () => {
    await acme(vehicleRow({ registration: 'V1' }));
    const path = await file('b.csv', vehiclesCsv(vehicleRow({ registration: 'V1', make: 'Seat' })));
    let lines: unknown[] = [];
    atCall(1, 'PutItem', () => {
      lines = linesOf(`${path}.changes.ndjson`);
    });
    expect(await countedRun(['import', 'vehicles', path, '--supplier', 'acme'])).toMatchObject({ exitCode: 0 });
    expect(lines).toMatchObject([{ supplier: 'acme' }, { registration: 'V1', change: 'replaced' }]);
  });

  it('of a dry run says what would change, without what is stored, and only that of the load replaces it', async () => {
    const path = await file('a.csv', vehiclesCsv(vehicleRow({ registration: 'V1' })));
    const { changesFile } = await json<{ changesFile: string }>(['import', 'vehicles', path, '--dry-run']);
    const line = { registration: 'V1', change: 'created', insuredBefore: false, insuredAfter: true };
    expect(linesOf(changesFile)).toEqual([expect.objectContaining({ dryRun: true, supplier: '-' }), line]);
    for (const options of [[], ['--dry-run'], []]) await run(['import', 'vehicles', path, ...options]);
    const names = ['a.csv.changes-2.ndjson', 'a.csv.changes.ndjson'];
    expect((await readdir(pathOf())).sort()).toEqual(['a.csv', ...names]);
    expect(names.map((name) => linesOf(pathOf(name))[0].dryRun)).toEqual([false, false]);
  });

  // A folder stands for a file of a colleague, which root could read.
  it('gets the next name when the file of the first one cannot be read', async () => {
    const path = await file('a.csv', vehiclesCsv(vehicleRow({ registration: 'V1' })));
    await mkdir(`${path}.changes.ndjson`);
    expect(await json(['import', 'vehicles', path])).toMatchObject({ changesFile: `${path}.changes-2.ndjson` });
  });

  it('of a removal without a file is in the working folder, and no load replaces the file of another one', async () => {
    await acme(vehicleRow({ registration: 'V1' }), vehicleRow({ registration: 'V2' }));
    await run(['remove', 'vehicles', '--registration', 'V1']);
    await run(['remove', 'vehicles', '--all', '--supplier', 'acme']);
    expect((await readdir(pathOf())).sort()).toEqual([
      'a.csv',
      'a.csv.changes.ndjson',
      'remove-vehicles.changes-2.ndjson',
      'remove-vehicles.changes.ndjson',
    ]);
    const [first, line] = linesOf(pathOf('remove-vehicles.changes.ndjson'));
    expect(first).not.toHaveProperty('supplier');
    expect(line).toMatchObject({ registration: 'V1', change: 'removed', before: { acme: expect.anything() } });
    const [ofAll, ofV2] = linesOf(pathOf('remove-vehicles.changes-2.ndjson'));
    expect([ofAll, ofV2]).toMatchObject([{ supplier: 'acme' }, { registration: 'V2', change: 'removed' }]);
  });

  it('of compliance has parts by their names, and nothing about insurance', async () => {
    const { path } = await load('compliance', 'c.ndjson', complianceLine({ registration: 'V1' }));
    const [first, line] = linesOf(`${path}.changes.ndjson`);
    expect(first).toMatchObject({ kind: 'compliance', table: admin.engine().names.compliance });
    expect(Object.keys(line.written)).toEqual(['mot', 'tax', 'fines']);
    expect(line).not.toHaveProperty('insuredAfter');
  });
});

describe('changes', () => {
  it('prints counts and the first twenty records, and with --csv all', async () => {
    const { path } = await load('vehicles', 'a.csv', manyVehicles('V', 25));
    const shown = await run(['changes', `${path}.changes.ndjson`]);
    expect(shown).toMatchObject({ exitCode: 0, stderr: '… and 5 more: --csv has all.\n' });
    expect(shown.stdout).toMatch(/^A load of vehicles in the table \S+, \S+, which began 2026-11-21T12:00:30.000Z\n/);
    expect(shown.stdout).toMatch(/\n +25 +0 +0 +25 +0\n/);
    expect(shown.stdout.match(/^V\d+ +created +no +yes$/gm)).toHaveLength(20);
    const { stdout } = await run(['changes', `${path}.changes.ndjson`, '--csv']);
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toBe('registration,change,insured_before,insured_after');
    expect(rows).toHaveLength(25);
    expect(rows[0]).toMatch(/^V\d+,created,no,yes$/);
  });

  it('counts a record once whose write was attempted again', async () => {
    const { path } = await acme(vehicleRow({ registration: 'V1' }));
    const text = readFileSync(`${path}.changes.ndjson`, 'utf8');
    const again = await file('again.ndjson', text + text.split('\n')[1]?.concat('\n'));
    expect(await json(['changes', again])).toMatchObject({ created: 1, becameInsured: 1 });
  });

  it('refuses any other file', async () => {
    const path = await file('a.ndjson', complianceLine());
    expect(await run(['changes', path])).toEqual(failure('is not a changes file'));
  });
});
