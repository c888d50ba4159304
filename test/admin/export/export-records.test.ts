import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import type { ComplianceRecord } from '../../../core/compliance/record.ts';
import { prefixedTableNames } from '../../../core/tables.ts';
import { createTables } from '../../../lib/local/engine/create-tables.ts';
import { storeItems } from '../../support/engine.ts';
import { aPolicy, aVehicle } from '../../support/records.ts';
import { commandLine, failure, runCommand } from '../command-line.ts';
import { vehicleLine } from '../import-files.ts';

const { engine, run, file, pathOf, rejectedLines, atCall, countedRun } = commandLine();

const TIME = '2026-05-01T08:00:00.123Z';

/** Every form of a compliance record that an import accepts. */
const complianceLines = [{ dueDate: '2026-05-06' }, { exempt: true }].flatMap((mot, first) =>
  [{ paidUntil: '2026-07-08' }, { exempt: true }, { sorn: true }].flatMap((roadTax, second) =>
    [TIME, null].map((lastUpdated, third) =>
      JSON.stringify({
        registration: `C${first}${second}${third}`,
        mot,
        roadTax,
        outstandingFines: third * 3,
        lastUpdated,
      }),
    ),
  ),
);
const policies = Array.from({ length: 20 }, (_, nth) => aPolicy({ number: `P-${nth}` }));
const vehicleLines = [
  vehicleLine({ registration: 'V1' }),
  vehicleLine({ registration: 'V2', policies: [] }),
  vehicleLine({ registration: 'V3', policies }),
  vehicleLine({ registration: 'V4', vehicle: { make: 'Ford', model: '', year: 1885, color: 'Red' } }),
  vehicleLine({ registration: 'ÄÖÜÅ1', vehicle: { make: 'Škoda "x"', model: 'a\u2028b', year: 2027, color: '🚗' } }),
  vehicleLine({ registration: '1', lastUpdated: TIME }),
];

const sortedLines = async (path: string) => (await readFile(path, 'utf8')).split('\n').filter(Boolean).toSorted();

describe('export vehicles and export compliance', () => {
  it.each([
    ['vehicles', vehicleLines],
    ['compliance', complianceLines],
  ] as const)('write a file of %s that import reads back to the same records', async (noun, lines) => {
    expect(await run(['import', noun, await file('first.ndjson', lines.join('\n'))])).toMatchObject({ exitCode: 0 });
    const path = pathOf('export.ndjson');
    expect(await run(['export', noun, path])).toEqual({
      exitCode: 0,
      stdout: `${lines.length} ${noun === 'vehicles' ? noun : 'compliance records'} are in ${path}.\n`,
      stderr: '',
    });
    const { client, names, endpoint } = engine();
    const others = prefixedTableNames(`${names[noun]}-copy-`);
    await createTables(client, others);
    const onOthers = (...args: string[]) => runCommand([...args, '--dynamodb', endpoint], others);
    expect(await onOthers('import', noun, path)).toMatchObject({ exitCode: 0 });
    await onOthers('export', noun, pathOf('again.ndjson'));
    const exported = await sortedLines(path);
    expect(await sortedLines(pathOf('again.ndjson'))).toEqual(exported);
    const given = lines.map((line) => JSON.parse(line) as { registration: string });
    const byRegistration = new Map(exported.map((line) => [JSON.parse(line).registration, JSON.parse(line)]));
    for (const record of given) {
      const registration = record.registration.replace(' ', '');
      expect(byRegistration.get(registration)).toEqual({ ...record, registration });
    }
  });

  it('omit damaged records, report them in a file and exit with 1', async () => {
    const { client, names } = engine();
    await client.send(
      new PutCommand({ TableName: names.vehicles, Item: { registration: 'BROKEN1', policies: 2n ** 70n } }),
    );
    const path = pathOf('v.ndjson');
    const result = await run(['export', 'vehicles', path]);
    expect(result).toEqual({
      exitCode: 1,
      stdout: `${vehicleLines.length} vehicles are in ${path}.\n`,
      stderr: `Damaged records that were left out: 1; they are in ${path}.rejected.ndjson\n`,
    });
    expect(await rejectedLines(path)).toMatchObject([
      { row: { registration: 'BROKEN1' }, reasons: ['the stored record is damaged; load it again from its source'] },
    ]);
    expect(await readFile(path, 'utf8')).not.toContain('BROKEN1');
    const { stdout } = await run(['export', 'vehicles', path, '--json']);
    const data = { kind: 'vehicles', file: path, exported: 6, damaged: 1, rejectedFile: `${path}.rejected.ndjson` };
    expect(JSON.parse(stdout)).toEqual(data);
    await run(['remove', 'vehicles', '--registration', 'BROKEN1']);
  });

  it('omit attributes that this version does not know', async () => {
    const { client, names } = engine();
    const item: ComplianceRecord & { later: string } = { ...JSON.parse(complianceLines[0] ?? ''), later: 'x' };
    await client.send(new PutCommand({ TableName: names.compliance, Item: item }));
    const path = pathOf('c.ndjson');
    await run(['export', 'compliance', path]);
    expect(await readFile(path, 'utf8')).not.toContain('later');
  });

  it('read more than one page, replace an earlier file and let only the owner read it', async () => {
    const { client, names } = engine();
    // 3 kB each: together more than 1 MB, the maximum of a page.
    const many = Array.from({ length: 1_000 }, (_, index) => aVehicle(`MANY${index}`, policies));
    await storeItems(client, names.vehicles, many);
    const path = pathOf('v.ndjson');
    await writeFile(path, 'old', { mode: 0o666 });
    const { stdout, stderr } = await run(['export', 'vehicles', path], { showsProgress: true });
    expect([stdout, stderr]).toEqual([
      `1,006 vehicles are in ${path}.\n`,
      expect.stringContaining('1,006 records read\n'),
    ]);
    expect(new Set(await sortedLines(path)).size).toBe(1_006);
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');
  });

  it('leave no file when Ctrl-C stops them', async () => {
    const interruption = new AbortController();
    atCall(2, 'Scan', () => interruption.abort());
    const path = pathOf('v.ndjson');
    const stopped = await countedRun(['export', 'vehicles', path], { signal: interruption.signal });
    expect(stopped).toMatchObject({ exitCode: 130, stdout: '' });
    expect([existsSync(path), existsSync(`${path}.part`)]).toEqual([false, false]);
  });

  it.each([
    ['v.csv', 'an export is NDJSON; give a name that ends in .ndjson'],
    ['no/folder.ndjson', 'there is no such f'],
  ])('are rejected with a sentence for %s', async (name, sentence) => {
    expect(await run(['export', 'vehicles', pathOf(name)])).toEqual(failure(sentence));
  });
});
