import { utimes } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { vehiclesTable } from '../../core/vehicles/vehicles-table.ts';
import { commandLine, NOW } from './command-line.ts';
import { vehicleLine } from './import-files.ts';

const { run, file, load, engine, rejectedLines } = commandLine();

const loadLines = (...lines: string[]) => load('vehicles', 'v.ndjson', `\uFEFF${lines.join('\r\n')}`);
const find = (registration: string) => vehiclesTable(engine().client, engine().names.vehicles).find(registration);
const policy = { number: 'P-1', insurer: 'Acme', validFrom: '2026-01-01', validTo: '2026-12-31', type: 'Third Party' };
const vehicle = { make: 'Ford', model: 'Fiesta', year: 2019, color: 'Red' };

describe('import vehicles of NDJSON', () => {
  it('stores the fields of the line', async () => {
    expect(await loadLines(vehicleLine({ policies: [policy] }))).toMatchObject({ exitCode: 0, stderr: '' });
    const lastUpdated = '2026-01-02T03:04:05.000Z';
    expect(await find('AB12CDE')).toEqual({ registration: 'AB12CDE', vehicle, policies: [policy], lastUpdated });
  });

  it('accepts an empty list of policies, and dates a line without lastUpdated by the file', async () => {
    const path = await file('v.ndjson', vehicleLine({ registration: 'NO1', policies: [], lastUpdated: undefined }));
    await utimes(path, new Date(), new Date('2026-05-06T07:08:09Z'));
    await run(['import', 'vehicles', path]);
    expect(await find('NO1')).toMatchObject({ policies: [], lastUpdated: '2026-05-06T07:08:09.000Z' });
  });

  it('dates a line without lastUpdated by the import when the file is from the future', async () => {
    const path = await file('v.ndjson', vehicleLine({ registration: 'NO3', lastUpdated: undefined }));
    await utimes(path, NOW, new Date('2027-01-01T00:00:00Z'));
    await run(['import', 'vehicles', path]);
    expect((await find('NO3'))?.lastUpdated).toBe(NOW.toISOString());
  });

  it('stores a vehicle with an empty model', async () => {
    await loadLines(vehicleLine({ registration: 'NO2', vehicle: { ...vehicle, model: '' } }));
    expect((await find('NO2'))?.vehicle.model).toBe('');
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['a missing model', { vehicle: { ...vehicle, model: undefined } }, ['vehicle.model: is missing']],
    ['unknown fields', { colour: 'Red', vehicle: { wheels: 4 } }, ['colour: is not a field', 'vehicle.wheels: is not']],
    ['missing parts', { vehicle: undefined, policies: undefined }, ['vehicle: is missing', 'policies: is missing']],
    ['wrong types', { registration: 12, policies: {} }, ['registration: must be a string', 'policies: must be an']],
    ['a year as text', { vehicle: { ...vehicle, year: '2019' } }, ['vehicle.year: must be']],
    ['half a character', { vehicle: { ...vehicle, make: '\ud800' } }, ['must be well-formed']],
    ['a policy that is none', { policies: [null] }, ['policies[0]: must be an object']],
    ['a policy that ends first', { policies: [{ ...policy, validTo: '2025-01-01' }] }, ['must not be before']],
    ['policies of one number', { policies: [policy, policy] }, ['policies[1].number: is the same as policies[0]']],
    ['21 policies', { policies: Array(21).fill(policy) }, ['policies: must have at most 20 entries']],
    ['a moment in words', { lastUpdated: 'yesterday' }, ['lastUpdated: must be a UTC timestamp']],
    ['a moment of the year 9999', { lastUpdated: '9999-01-01T00:00:00Z' }, ['lastUpdated: must not be more than 24']],
    [
      'a control character',
      { vehicle: { ...vehicle, color: 'R\u0085d' } },
      ['vehicle.color: must not contain control'],
    ],
    ['a line end', { policies: [{ ...policy, number: 'P\n1' }] }, ['policies[0].number: must not contain control']],
    ['prototype keys', JSON.parse('{"__proto__": {"registration": "X"}}'), ['__proto__: is not a field']],
  ])('rejects %s', async (_case, fields, reasons) => {
    const line = vehicleLine(fields);
    const { exitCode, path } = await loadLines(line);
    const [rejected] = await rejectedLines(path);
    expect({ exitCode, ...rejected }).toMatchObject({ exitCode: 1, line: 1, row: JSON.parse(line) });
    for (const reason of reasons) expect(rejected?.reasons.join('\n')).toContain(reason);
  });

  it('rejects lines that are no JSON object or too long with their number, skips blank ones and loads the rest', async () => {
    const long = vehicleLine({ colour: 'x'.repeat(1_100_000) });
    const { path, stdout } = await loadLines(
      '{"registration":',
      '',
      '[1]',
      long,
      vehicleLine({ registration: 'REST1' }),
    );
    expect(await rejectedLines(path)).toMatchObject([
      { line: 1, reasons: ['the line is not JSON'], row: '{"registration":' },
      { line: 3, reasons: ['the line is not a JSON object'], row: [1] },
      { line: 4, reasons: [expect.stringContaining('longer than')] },
    ]);
    expect(stdout).toMatch(/\b4 +1 +3 /);
    expect(await find('REST1')).toBeDefined();
  });

  it('rejects a second line of the same vehicle', async () => {
    const { path } = await loadLines(vehicleLine(), vehicleLine({ registration: 'ab12-cde', policies: [] }));
    expect(await rejectedLines(path)).toMatchObject([{ line: 2, reasons: [expect.stringContaining('on line 1')] }]);
  });
});
