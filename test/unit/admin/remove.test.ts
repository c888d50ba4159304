import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { storeItems } from '../../support/engine.ts';
import { aCompliance, aVehicle } from '../../support/records.ts';
import { failure, useAdmin } from '../../support/use-admin.ts';

const { run, json, file, engine, stored } = useAdmin();

const REGISTRATIONS = ['AB12CDE', 'KR08NIL', 'MT17DUE', 'STAYS'];

const storedIn = async (table: 'vehicles' | 'compliance') =>
  (await stored(table)).map(({ registration }) => registration);
const remove = (...args: string[]) => run(['remove', 'vehicles', ...args]);

beforeEach(async () => {
  const { client, names } = engine();
  const vehicles = REGISTRATIONS.map((one) => aVehicle(one));
  const compliance = REGISTRATIONS.map((one) => aCompliance(one));
  await storeItems(client, names.vehicles, vehicles);
  await storeItems(client, names.compliance, compliance);
});

/** Errors of the database and Ctrl-C: import/differences.test.ts; lost responses: import/complete.test.ts. */
describe('remove of a file', () => {
  const exported = ['AB12CDE', 'kr08 nil', 'MT17DUE'].map((one) => JSON.stringify(aVehicle(one)));
  it.each([
    ['a CSV of vehicles in several rows', 'r.csv', 'registration,n\nab12 cde,1\nKR08-NIL,1\nmt17.due,1\nAB12CDE,2\n'],
    ['NDJSON, such as an export', 'r.ndjson', exported.join('\n')],
    ['plain text with a mark and blank lines', 'r.txt', '\uFEFFAB12CDE\r\n\r\n kr08 nil \r\nMT17DUE'],
  ])('removes the vehicles that it names, and nothing else: %s', async (_format, name, text) => {
    expect(await remove(await file(name, text))).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/rows read +vehicles removed +not there +rows rejected.*\n +[34] +3 +0 +0 /),
      stderr: 'Only vehicles were removed; "remove compliance" removes compliance records.\n',
    });
    expect([await storedIn('vehicles'), await storedIn('compliance')]).toEqual([['STAYS'], REGISTRATIONS]);
  });

  it('removes compliance records only, counts what is not there, and changes nothing the second time', async () => {
    const args = ['remove', 'compliance', await file('r.txt', 'AB12CDE\nNOT1\nNOT2\n')];
    expect(await json(args)).toMatchObject({ kind: 'compliance', removed: 1, notThere: 2, rejected: 0 });
    expect(await json(args)).toMatchObject({ removed: 0, notThere: 3 });
    expect([await storedIn('vehicles'), await storedIn('compliance')]).toEqual([REGISTRATIONS, REGISTRATIONS.slice(1)]);
  });

  it.each([
    ['r.txt', ['KR08NIL', 'AB_12', 'AB12CDE'], 'line 2 has an invalid registration: it contains "_" (U+005F)'],
    ['r.csv', ['registration,n', 'MT17DUE,1', 'AB12CDE,1,x'], 'line 3 has text in 3 cells where the header names 2'],
    ['r.ndjson', ['{"registration":"AB12CDE"}', '{"reg":"MT17DUE"}'], 'line 2 has no registration'],
  ])('removes nothing when nobody knows whose a row is: %s', async (name, lines, problem) => {
    const result = await remove(await file(name, lines.join('\n')));
    expect(result).toEqual(failure(`${problem}, so nobody knows whose row it is: nothing was changed; correct it: `));
    expect(result.stderr).not.toMatch(/MT17DUE|AB_12/);
    expect(await storedIn('vehicles')).toEqual(REGISTRATIONS);
  });

  it('names each registration that is not there', async () => {
    const path = await file('r.txt', 'NOT2\nAB12CDE\nNOT1\n');
    expect(await json(['remove', 'vehicles', path])).toMatchObject({ notThereFile: `${path}.not-there.txt` });
    expect(await readFile(`${path}.not-there.txt`, 'utf8')).toBe('NOT1\nNOT2\n');
  });
});

describe('remove --registration', () => {
  it('removes vehicles in any spelling, each counted once, and names what is not there', async () => {
    const spellings = ['ab12 cde', 'AB12-CDE', 'kr08nil', 'mt17due', 'NOT1'];
    expect(await remove('--registration', ...spellings)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/\n +5 +3 +1 +0 /),
      stderr: 'Not there: NOT1.\nOnly vehicles were removed; "remove compliance" removes compliance records.\n',
    });
    expect([await storedIn('vehicles'), await storedIn('compliance')]).toEqual([['STAYS'], REGISTRATIONS]);
  });

  it('removes compliance records only after "remove compliance", and gives its counts with --json', async () => {
    const counts = { kind: 'compliance', file: null, removed: 1, notThere: 1, erased: 0, interrupted: false };
    expect(await json(['remove', 'compliance', '--registration', 'AB12CDE', 'NOT1'])).toMatchObject({
      ...counts,
      registrationsNotThere: ['NOT1'],
      notThereFile: null,
    });
    expect([await storedIn('vehicles'), await storedIn('compliance')]).toEqual([REGISTRATIONS, REGISTRATIONS.slice(1)]);
  });
});
