import { beforeEach, describe, expect, it } from '@jest/globals';
import { storeItems } from '../support/engine.ts';
import { aCompliance, aVehicle } from '../support/records.ts';
import { useAdmin } from '../support/use-admin.ts';

const { run, json, file, engine, interruptedRun, rejectedLines, stored } = useAdmin();

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
  ])('erases the vehicles that it names, and nothing else: %s', async (_format, name, text) => {
    expect(await remove(await file(name, text))).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/rows read +vehicles removed +not there +rows rejected.*\n +[34] +3 +0 +0 /),
      stderr: 'Only vehicles were removed; "remove compliance" removes compliance records.\n',
    });
    expect([await storedIn('vehicles'), await storedIn('compliance')]).toEqual([['STAYS'], REGISTRATIONS]);
  });

  it('erases compliance records only, counts what is not there, and changes nothing the second time', async () => {
    const args = ['remove', 'compliance', await file('r.txt', 'AB12CDE\nNOT1\nNOT2\n')];
    expect(await json(args)).toMatchObject({ kind: 'compliance', removed: 1, notThere: 2, rejected: 0 });
    expect(await json(args)).toMatchObject({ removed: 0, notThere: 3 });
    expect([await storedIn('vehicles'), await storedIn('compliance')]).toEqual([REGISTRATIONS, REGISTRATIONS.slice(1)]);
  });

  it.each([
    ['r.txt', ['KR08NIL', 'AB_12', 'AB12CDE'], 'registration: contains ', 'AB_12'],
    ['r.csv', ['registration,n', 'MT17DUE', 'AB12CDE,1', 'KR08NIL,1'], 'the row has too few columns', 'MT17DUE'],
    ['r.ndjson', ['{"registration":"AB12CDE"}', '{"reg":"MT17DUE"}'], 'registration: is missing', { reg: 'MT17DUE' }],
  ])('removes what the valid rows name and reports the invalid one of %s', async (name, lines, reason, row) => {
    const path = await file(name, lines.join('\n'));
    const result = await remove(path);
    expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('1 row was rejected') });
    expect(result.stdout + result.stderr).not.toMatch(/MT17DUE|AB_12/);
    expect(await rejectedLines(path)).toEqual([{ line: 2, row, reasons: [expect.stringContaining(reason)] }]);
    const removed = lines.length === 2 ? ['AB12CDE'] : ['AB12CDE', 'KR08NIL'];
    expect(await storedIn('vehicles')).toEqual(REGISTRATIONS.filter((one) => !removed.includes(one)));
  });
});

describe('remove --registration', () => {
  it('erases vehicles in any spelling, each counted once', async () => {
    expect(await remove('--registration', 'ab12 cde', 'AB12-CDE', 'kr08nil', 'mt17due', 'NOT1')).toEqual({
      exitCode: 0,
      stdout: 'removed: 3, not there: 1\n',
      stderr: 'Only vehicles were removed; "remove compliance" removes compliance records.\n',
    });
    expect([await storedIn('vehicles'), await storedIn('compliance')]).toEqual([['STAYS'], REGISTRATIONS]);
  });

  it('erases compliance records only after "remove compliance", and gives its counts with --json', async () => {
    const counts = await json(['remove', 'compliance', '--registration', 'AB12CDE', 'NOT1']);
    expect(counts).toEqual({ kind: 'compliance', removed: 1, notThere: 1, interrupted: false });
    expect([await storedIn('vehicles'), await storedIn('compliance')]).toEqual([REGISTRATIONS, REGISTRATIONS.slice(1)]);
  });

  it('says after Ctrl-C what is not done', async () => {
    const args = ['remove', 'vehicles', '--registration', ...REGISTRATIONS];
    expect(await interruptedRun(args, 1, 'BatchGetItem')).toEqual({
      exitCode: 130,
      stdout: 'removed: 0, not there: 0\n',
      stderr: 'Stopped by Ctrl-C; not done: 4.\n',
    });
  });
});
