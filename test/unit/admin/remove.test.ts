import { mkdir, readdir, readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { aCompliance, aPolicy, aVehicle, suppliedByThree } from '../../support/records.ts';
import { failure, useAdmin } from '../../support/use-admin.ts';

const { run, json, file, pathOf, store, registrations, clear } = useAdmin();

const REGISTRATIONS = ['AB12CDE', 'KR08NIL', 'MT17DUE', 'STAYS'];
const NOTE = 'Only vehicles were removed; "remove compliance" removes compliance records.\n';

beforeEach(async () => {
  await clear();
  await store('vehicles', ...REGISTRATIONS.map((one) => aVehicle(one)));
  await store('compliance', ...REGISTRATIONS.map((one) => aCompliance(one)));
});

/** Errors of the database and Ctrl-C: import/process.test.ts; lost responses: test/races/stored-records-model.test.ts. */
describe('remove of a file', () => {
  const exported = ['AB12CDE', 'kr08 nil', 'MT17DUE'].map((one) => JSON.stringify(aVehicle(one)));
  it.each([
    ['a CSV of vehicles in several rows', 'r.csv', 'registration\nab12 cde\nKR08-NIL\nmt17.due\nAB12CDE\n'],
    ['NDJSON, such as an export', 'r.ndjson', exported.join('\n')],
    ['plain text with a mark and blank lines', 'r.txt', '\uFEFFAB12CDE\r\n\r\n kr08 nil \r\nMT17DUE'],
  ])('removes the vehicles that it names, and nothing else: %s', async (_format, name, text) => {
    const stdout = expect.stringMatching(/rows read +vehicles removed +not there +rows rejected.*\n +[34] +3 +0 +0 /);
    expect(await run(['remove', 'vehicles', await file(name, text)])).toEqual({ exitCode: 0, stdout, stderr: NOTE });
    expect(await registrations()).toEqual(['STAYS']);
    expect(await registrations('compliance')).toEqual(REGISTRATIONS);
  });

  it('names in a file what is not there, and changes nothing the second time', async () => {
    const path = await file('r.txt', 'NOT2\nAB12CDE\nNOT1\n');
    const notThereFile = `${path}.not-there.txt`;
    expect(await json(['remove', 'compliance', path])).toMatchObject({ kind: 'compliance', removed: 1, notThereFile });
    expect(await readFile(notThereFile, 'utf8')).toBe('NOT1\nNOT2\n');
    expect(await json(['remove', 'compliance', path])).toMatchObject({ removed: 0, notThere: 3 });
  });

  it('names the rows of a list whose stored record is damaged in a file that can be corrected and read again', async () => {
    await store('compliance', { registration: 'DAMAGED', mot: 5 });
    const path = await file('r.txt', 'AB12CDE\nDAMAGED\n');
    expect(await run(['remove', 'mot', path])).toMatchObject({ exitCode: 1 });
    const rejected = `${path}.rejected.csv`;
    expect(await readFile(rejected, 'utf8')).toMatch(/line,reason,registration\r\n2,"the stored .*",DAMAGED\r\n$/);
    await store('compliance', { ...aCompliance('DAMAGED') });
    expect(await json(['remove', 'mot', rejected])).toMatchObject({ removed: 1 });
  });

  it.each([['remove', 'vehicles'], ['erase']])(
    'is refused when it is empty or has only blank lines, as that of %s %s is',
    async (...command) => {
      for (const path of [await file('r.txt', ''), await file('r.ndjson', '\n\n')]) {
        expect(await run([...command, path])).toEqual(failure('the file is empty: nothing was changed;'));
      }
    },
  );

  it('names columns that are not used, because one may say that a vehicle is to stay', async () => {
    const { stderr } = await run(['remove', 'vehicles', await file('r.csv', 'registration,action\nAB12CDE,keep\n')]);
    expect(stderr).toMatch(/^Columns that are not used: "action"\. /);
  });
});

describe('remove --registration', () => {
  it('removes what is stored, and what an export has is restored, whatever word it is', async () => {
    const words = ['NIL', 'TBC', '10-May'].map((one) => JSON.stringify(aVehicle(one)));
    const path = await file('words.ndjson', words.join('\n'));
    expect(await run(['import', 'vehicles', path])).toEqual(failure('line 1 has a word in place of its registration'));
    expect(await json(['import', 'vehicles', path, '--restore'])).toMatchObject({ loaded: 3 });
    const given = ['nil', 'TBC', '10-May'];
    expect(await json(['remove', 'vehicles', '--registration', ...given])).toMatchObject({ removed: 3 });
  });

  it('removes vehicles in any spelling, each counted once, and names what is not there', async () => {
    const spellings = ['ab12 cde', 'AB12-CDE', 'kr08nil', 'mt17due', 'NOT1'];
    expect(await run(['remove', 'vehicles', '--registration', ...spellings])).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/\n +5 +3 +1 +0 /),
      stderr: `Not there: NOT1.\n${NOTE}`,
    });
    expect(await registrations()).toEqual(['STAYS']);
    expect(await registrations('compliance')).toEqual(REGISTRATIONS);
  });
});

it('A removal without a file names rejected registrations and what helps, and leaves its changes in the working folder', async () => {
  await store('compliance', { registration: 'DAMAGED', mot: 5 });
  const staging = pathOf('staging');
  await mkdir(staging);
  const args = ['--registration', 'AB12CDE', 'DAMAGED', '--staging', staging];
  const { exitCode, stderr } = await run(['remove', 'mot', ...args]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: [
      '1 × the stored record of this vehicle is damaged, first in registration 2',
      '    ("remove compliance" removes it whole)',
      '1 row was rejected: DAMAGED.',
      'Only MOT dates were removed; "remove compliance" removes compliance records.',
      '',
    ].join('\n'),
  });
  const rejected = { rejected: 1, rejectedFile: null, registrationsRejected: ['DAMAGED'] };
  expect(JSON.parse((await run(['remove', 'mot', ...args, '--json'])).stdout)).toMatchObject(rejected);
  expect((await readdir('.')).filter((name) => name.startsWith('.rejected'))).toEqual([]);
  expect(await readdir(staging)).toEqual([]);
  const changes = [pathOf('remove-mot.changes-2.ndjson'), pathOf('remove-mot.changes.ndjson')];
  expect((await readdir(pathOf())).toSorted().map((name) => pathOf(name))).toEqual([...changes, staging]);
  expect(await run(['remove', 'compliance', '--registration', 'DAMAGED'])).toMatchObject({ exitCode: 0 });
});

describe('remove vehicles --ended-before', () => {
  const ENDED = aPolicy({ validFrom: '2020-01-01', validTo: '2020-12-31' });
  const old = (registration: string, policies = [ENDED], lastUpdated = '2020-06-01T00:00:00.000Z') => ({
    ...aVehicle(registration, policies),
    lastUpdated,
  });
  const remove = (...options: string[]) => run(['remove', 'vehicles', '--ended-before', '2021-01-01', ...options]);

  beforeEach(async () => {
    await store(
      'vehicles',
      old('OLD1'),
      old('OLD2', [ENDED, aPolicy({ validTo: '2020-11-30' })]),
      old('LATER', [ENDED, aPolicy({ validTo: '2021-01-01' })]),
      old('UPDATED', [ENDED], '2021-01-01T00:00:00.000Z'),
      old('NONE', []),
      suppliedByThree(old('THREE', [ENDED])),
      { ...suppliedByThree(old('ONENEW', [ENDED])), supplied: suppliedByThree(aVehicle('ONENEW')).supplied },
    );
  });

  it('removes vehicles whose last policy ended before the day and that no supplier has updated since, as undo knows', async () => {
    const before = await registrations();
    const removed = await remove('--remove-at-most=3');
    const changes = pathOf('remove-vehicles.changes.ndjson');
    const stdout = `removed: 3\nWhat was changed is in ${changes}\n`;
    expect(removed).toEqual({ exitCode: 0, stdout, stderr: 'A later file may bring these vehicles back.\n' });
    expect(before.filter((one) => !['OLD1', 'OLD2', 'THREE'].includes(one))).toEqual(await registrations());
    expect(await json(['undo', changes])).toMatchObject({ putBack: 3 });
    expect(await registrations()).toEqual(before);
  });

  it('changes nothing with --dry-run, and when more than 5 % would go', async () => {
    const before = await registrations();
    const tried = await remove('--dry-run', '--remove-at-most=50%');
    const stdout = expect.stringMatching(/^would be removed: 3\nWhat would change is in /);
    expect(tried).toEqual({ exitCode: 0, stdout, stderr: 'Dry run: nothing was changed.\n' });
    const sentence = '3 of 11 vehicles would go, more than the 1 of --remove-at-most 5%: nothing was changed;';
    expect(await remove()).toEqual(failure(`${sentence} when this is right, raise --remove-at-most to 3\n`));
    expect(await registrations()).toEqual(before);
  });
});
