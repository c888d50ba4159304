import { utimes } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { vehiclesTable } from '../../functions/vehicles/vehicles-table.ts';
import { commandLine } from './command-line.ts';
import { vehicleLine } from './vehicle-files.ts';

const { run, file, engine, rejectedLines } = commandLine();

const load = async (...lines: string[]) => {
  const path = await file('vehicles.ndjson', `\uFEFF${lines.join('\r\n')}`);
  return { ...(await run(['import', 'vehicles', path])), path };
};
const find = (registration: string) => vehiclesTable(engine().client, engine().names.vehicles).find(registration);
const policy = { number: 'P-1', insurer: 'Acme', validFrom: '2026-01-01', validTo: '2026-12-31', type: 'Third Party' };

describe('import vehicles of NDJSON', () => {
  it('stores what the line says', async () => {
    expect(await load(vehicleLine({ policies: [policy] }))).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await find('AB12CDE')).toEqual({
      registration: 'AB12CDE',
      vehicle: { make: 'Ford', model: 'Fiesta', year: 2019, color: 'Red' },
      policies: [policy],
      lastUpdated: '2026-01-02T03:04:05.000Z',
    });
  });

  it('takes an empty list of policies, and the age of the file where a line has none', async () => {
    const path = await file('v.ndjson', vehicleLine({ registration: 'NO1', policies: [], lastUpdated: undefined }));
    await utimes(path, new Date(), new Date('2026-05-06T07:08:09Z'));
    await run(['import', 'vehicles', path]);
    expect(await find('NO1')).toMatchObject({ policies: [], lastUpdated: '2026-05-06T07:08:09.000Z' });
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['unknown fields', { colour: 'Red', vehicle: { wheels: 4 } }, ['colour: is not a field', 'vehicle.wheels: is not']],
    ['missing parts', { vehicle: undefined, policies: undefined }, ['vehicle: is missing', 'policies: is missing']],
    [
      'wrong types',
      { registration: 12, policies: {} },
      ['registration: must be a string', 'policies: must be an array'],
    ],
    ['a year as text', { vehicle: { make: 'F', model: 'F', year: '2019', color: 'R' } }, ['vehicle.year: must be']],
    ['half a character', { vehicle: { make: '\ud800', model: 'F', year: 2019, color: 'R' } }, ['must be well-formed']],
    ['a policy that is none', { policies: [null] }, ['policies[0]: must be an object']],
    ['a policy that ends first', { policies: [{ ...policy, validTo: '2025-01-01' }] }, ['must not be before']],
    ['policies of one number', { policies: [policy, policy] }, ['policies[1].number: is the same as policies[0]']],
    ['21 policies', { policies: Array.from({ length: 21 }, () => policy) }, ['policies: must have at most 20 entries']],
    ['a moment in words', { lastUpdated: 'yesterday' }, ['lastUpdated: must be a UTC timestamp']],
    ['prototype keys', JSON.parse('{"__proto__": {"registration": "X"}}'), ['__proto__: is not a field']],
  ])('rejects %s', async (_case, fields, reasons) => {
    const line = vehicleLine(fields);
    const { exitCode, path } = await load(line);
    expect(exitCode).toBe(1);
    const [rejected] = await rejectedLines(path);
    expect(rejected).toMatchObject({ line: 1, row: JSON.parse(line) });
    for (const reason of reasons) expect(rejected?.reasons.join('\n')).toContain(reason);
  });

  it('rejects lines that are no JSON object with their line number, skips blank ones and loads the rest', async () => {
    const { path, stdout } = await load('{"registration":', '', '[1]', vehicleLine({ registration: 'REST1' }));
    expect(await rejectedLines(path)).toEqual([
      { line: 1, reasons: ['the line is not JSON'], row: '{"registration":' },
      { line: 3, reasons: ['the line is not a JSON object'], row: [1] },
    ]);
    expect(stdout).toMatch(/\b3 +1 +2 /);
    expect(await find('REST1')).toBeDefined();
  });

  it('rejects a line that is longer than it reads, and loads the next', async () => {
    const { path } = await load(vehicleLine({ colour: 'x'.repeat(1_100_000) }), vehicleLine({ registration: 'REST2' }));
    expect(await rejectedLines(path)).toMatchObject([{ line: 1, reasons: [expect.stringContaining('longer than')] }]);
    expect(await find('REST2')).toBeDefined();
  });

  it('rejects a vehicle that comes twice', async () => {
    const { path } = await load(vehicleLine(), vehicleLine({ registration: 'ab12-cde', policies: [] }));
    expect(await rejectedLines(path)).toMatchObject([{ line: 2, reasons: [expect.stringContaining('on line 1')] }]);
  });
});
