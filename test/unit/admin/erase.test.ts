import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Erasure, UndoneErasure } from '../../../core/vehicles/erasure.ts';
import { storeItems } from '../../../local/sample-database.ts';
import { forOperation } from '../../support/fault-choosers.ts';
import type { Fault } from '../../support/fault-proxy.ts';
import { complianceLine } from '../../support/import-files.ts';
import { BULK_LOOKUPS, SINGLE_LOOKUPS } from '../../support/lookups.ts';
import { aCompliance, aVehicle } from '../../support/records.ts';
import { failure, NOW, runAdminCommand, useAdmin } from '../../support/use-admin.ts';
import { useApi } from '../../support/use-api.ts';

const admin = useAdmin();
const { engine, run, otherTables, json, file, stored, store, clear } = admin;

const ALL = Array.from({ length: 10 }, (_, nth) => `V${10 + nth}`);
const TABLES = ['vehicles', 'compliance'] as const;
const AT = NOW.toISOString();
const LATER = { now: new Date('2026-11-22T09:00:00.000Z') };

const erasuresIn = async (table: (typeof TABLES)[number]) =>
  (await stored<Erasure>(table)).filter((item) => item.erased);
/** The erased registrations, which both tables have. */
const erased = async () => {
  const [inVehicles, inCompliance] = await Promise.all(TABLES.map(erasuresIn));
  expect(inCompliance).toEqual(inVehicles?.map((item) => ({ ...item, revision: expect.any(String) })));
  return inVehicles?.map(({ registration }) => registration);
};
const vehicles = async () => (await stored()).filter(({ vehicle }) => vehicle).map(({ registration }) => registration);
const eraseThese = (...registrations: string[]) => run(['erase', '--registration', ...registrations]);
const lines = (registrations: readonly string[]) =>
  registrations.map((one) => JSON.stringify(aVehicle(one))).join('\n');
const importLines = async (registrations: readonly string[], ...options: string[]) =>
  json<Record<string, unknown>>(['import', 'vehicles', await file('v.ndjson', lines(registrations)), ...options]);

beforeEach(async () => {
  await clear();
  await store('vehicles', ...ALL.map((one) => aVehicle(one)));
  await store('compliance', ...ALL.map((one) => aCompliance(one)));
});

describe('erase', () => {
  it.each([
    ['a file', async () => [await file('e.txt', 'v10\nV11\nNOT1\nV10\n')], {}],
    ['--registration', () => ['--registration', 'v10', 'V11', 'NOT1', 'V10'], { registrationsNotThere: ['NOT1'] }],
  ])('puts an erasure in both tables, and names what is not there: %s', async (_, args, names) => {
    const counts = { kind: 'vehicles', erased: 2, notThere: 1, unchanged: 0 };
    expect(await json(['erase', ...(await args())])).toMatchObject({ ...counts, ...names });
    expect(await erased()).toEqual(['NOT1', 'V10', 'V11']);
    for (const { erased } of await erasuresIn('vehicles')) expect(erased).toEqual({ at: AT, by: expect.any(String) });
    for (const table of TABLES) expect(await stored(table)).toHaveLength(11);
  });

  it('is made although a read fails with all its attempts', async () => {
    // The SDK makes three of its own.
    const left: Fault[] = ['error', 'error', 'error'];
    admin.proxy().inject(forOperation('BatchGetItem', () => left.pop()));
    expect(await admin.countedRun(['erase', '--registration', 'V10'])).toMatchObject({ exitCode: 0 });
    expect(await erased()).toEqual(['V10']);
  });

  it('reads no field of a line but its registration', async () => {
    const path = await file('e.ndjson', '{"registration":"V11","note":1,"note":2}');
    expect(await json(['erase', path])).toMatchObject({ erased: 1, rejected: 0 });
  });

  it.each<[string, string, string[]]>([
    ['a cell of a row names a column', 'registration,make,model\nV10,Porsche,Targa,\nV11,Ford,Ka,\n', ['V10', 'V11']],
    ['a filter is above', 'Filter,Plate,All\nRegistration,Make,Model\nV10,Ford,Ka\nV11,VW,Up\n', ['V10', 'V11']],
    ['no column has a known name', 'Vehicle,Reason\nAB12CDE,plate\nCD34EFG,lost\n', []],
  ])('takes no row of the file for its header: %s', async (_, text, expected) => {
    await run(['erase', await file('e.csv', text)]);
    expect(await erased()).toEqual(expected);
  });

  it('keeps the first time and name when a vehicle is erased again, and completes what one table lacks', async () => {
    await eraseThese('V10');
    expect(await json(['erase', '--registration', 'V10'], LATER)).toMatchObject({ erased: 0, unchanged: 1 });
    await store('vehicles', aVehicle('V10'));
    expect(await json(['erase', '--registration', 'V10'], LATER)).toMatchObject({ erased: 1, unchanged: 0 });
    expect(await erasuresIn('vehicles')).toMatchObject([{ erased: { at: AT } }]);
  });

  it('is taken back from one table without the record that the other one has', async () => {
    await eraseThese('V10');
    await store('compliance', aCompliance('V10'));
    expect(await json(['erase', '--undo', '--registration', 'V10'])).toMatchObject({ undone: 1 });
    expect(await erased()).toEqual([]);
    expect(await stored('compliance')).toContainEqual(expect.objectContaining(aCompliance('V10')));
  });

  it('is taken back where one table has an older erasure than the undoing that the other one has, as after a restore', async () => {
    await eraseThese('V10');
    await run(['erase', '--undo', '--registration', 'V10'], LATER);
    await store('vehicles', { registration: 'V10', erased: { at: AT, by: 'somebody' } });
    expect(await json(['erase', '--undo', '--registration', 'V10'], LATER)).toMatchObject({ undone: 1, notThere: 0 });
    expect(await erased()).toEqual([]);
    expect(await importLines(['V10'])).toMatchObject({ loaded: 1, erased: 0 });
  });

  it('changes nothing with --dry-run, also with --undo', async () => {
    await eraseThese('V12');
    const tried = ['erase', '--dry-run', '--registration'];
    expect(await json([...tried, 'V10'])).toMatchObject({ erased: 1, notThere: 0, unchanged: 0, dryRun: true });
    expect(await json([...tried, 'V12', '--undo'])).toMatchObject({ undone: 1, notThere: 0, dryRun: true });
    expect(await erased()).toEqual(['V12']);
  });
});

describe('An erased vehicle', () => {
  beforeEach(() => eraseThese('V10', 'V11'));

  it.each(['--if-newer', '--restore'])('is left by import %s, which counts it', async (option) => {
    expect(await importLines(ALL, option)).toMatchObject({ unchanged: 8, erased: 2, rejected: 0 });
    expect(await erased()).toEqual(['V10', 'V11']);
    expect(await vehicles()).toEqual(ALL.slice(2));
  });

  it('is neither missing nor damaged nor counted in the guard of a complete file', async () => {
    const path = await file('v.ndjson', lines(ALL.slice(3)));
    const sentence = 'the file lacks 1 of 8 stored records, more than the 0';
    expect(await run(['import', 'vehicles', path, '--complete', '--remove-at-most=0'])).toEqual(failure(sentence));
    const counts = { removed: 1, erased: 1, damaged: 0 };
    const complete = [...ALL.slice(2, 9), 'V10'];
    expect(await importLines(complete, '--complete', '--remove-at-most=1')).toMatchObject(counts);
    expect(await erased()).toEqual(['V10', 'V11']);
  });

  it('costs an import no further read: a scan stages it, and otherwise it is read with the others', async () => {
    const readsOf = async (...options: string[]) => {
      admin.proxy().reset();
      await admin.countedRun(['import', 'vehicles', await file('v.ndjson', lines(ALL)), '--dry-run', ...options]);
      return admin.proxy().calls.map(({ operation, body }) => {
        const keys = Object.values<{ Keys: unknown[] }>(JSON.parse(body).RequestItems ?? {});
        return [operation, ...keys.map(({ Keys }) => Keys.length)];
      });
    };
    expect(await readsOf()).toEqual([['BatchGetItem', 10]]);
    expect(await readsOf('--complete')).toEqual(Array(8).fill(['Scan']));
  });

  it.each(TABLES)('is exported with its time and name, and restored: %s', async (table) => {
    const path = admin.pathOf('x.ndjson');
    expect(await json(['export', table, path])).toMatchObject({ exported: 8, erased: 2, damaged: 0 });
    const before = await erasuresIn(table);
    await clear();
    expect(await json(['import', table, path, '--restore'], LATER)).toMatchObject({ rejected: 0, erased: 2 });
    expect(await erased()).toEqual(['V10', 'V11']);
    expect(await erasuresIn(table)).toMatchObject(before.map(({ erased }) => ({ erased })));
  });

  it('that is damaged stops neither `erase --from` nor `tables check` with an unexpected error', async () => {
    const { vehicles } = (await otherTables()).names;
    const damaged = [{ erased: { at: AT, by: 'somebody' } }, { erased: 'yes' }];
    const items = damaged.map((one, nth) => ({ registration: `V1${nth}`, ...one }));
    await storeItems(engine().client, vehicles, items);
    const check = ['tables', 'check', '--tables', `vehicles=${vehicles}`];
    for (const command of [['erase', '--from', vehicles], check]) {
      expect((await run(command)).stderr).not.toContain('unexpected error');
    }
  });

  it('is not looked for in a table of other data', async () => {
    const sentence = 'has no vehicles or compliance records: nothing was changed';
    expect(await run(['erase', '--from', engine().names.usage])).toEqual(failure(sentence));
  });

  const FAR = { rejected: 1, reasons: [{ reason: expect.stringContaining('more than 24 hours in the future') }] };
  const BY = `arn:aws:sts::123456789012:assumed-role/${'r'.repeat(64)}/${'s'.repeat(64)}@insurance.example`;
  it.each<[what: string, line: object, outcome: object]>([
    ['erased by a long ARN', { erased: { at: AT, by: BY } }, { erased: 1, rejected: 0 }],
    ['erased in 2099', { erased: { at: '2099-01-01T00:00:00Z', by: 'x' } }, FAR],
    ['undone in 2099', { erasureUndone: '2099-01-01T00:00:00Z' }, FAR],
  ])('is restored from its line, unless its time is still far: %s', async (_what, line, outcome) => {
    const path = await file('l.ndjson', JSON.stringify({ registration: 'LA10AAA', ...line }));
    expect(await json(['import', 'vehicles', path, '--restore'], LATER)).toMatchObject(outcome);
  });

  it('replaces an undoing whose time is damaged', async () => {
    await store('vehicles', { ...aVehicle('V12'), erasureUndone: 'yesterday' });
    expect(await json(['erase', '--registration', 'V12'])).toMatchObject({ erased: 1 });
    expect(await erased()).toEqual(['V10', 'V11', 'V12']);
  });

  it('is not in the export of a supplier', async () => {
    await run(['export', 'vehicles', admin.pathOf('x.ndjson'), '--supplier', 'acme']);
    expect(await readFile(admin.pathOf('x.ndjson'), 'utf8')).toBe('');
  });

  it('is shown by lookup', async () => {
    const { stdout } = await run(['lookup', 'V10']);
    expect(stdout).toMatch(new RegExp(`^Erased +${AT}, by .+$`, 'm'));
    const { stored: shown } = await json<{ stored: object }>(['lookup', 'V10']);
    expect(shown).toEqual({ vehicle: null, compliance: null, erased: { at: AT, by: expect.any(String) } });
  });
});

describe('An erasure that was undone', () => {
  const undo = (...registrations: string[]) => run(['erase', '--undo', '--registration', ...registrations], LATER);
  const undoneIn = async (table: (typeof TABLES)[number]) =>
    (await stored<UndoneErasure>(table)).flatMap(({ registration, erasureUndone }) =>
      erasureUndone ? [[registration, erasureUndone]] : [],
    );
  const undone = [['V10', LATER.now.toISOString()]];

  beforeEach(async () => {
    await eraseThese('V10');
    await json(['export', 'vehicles', admin.pathOf('erased.ndjson')]);
    await undo('V10');
  });

  it('leaves its time in both tables, which imports and removals keep', async () => {
    const commands = [
      ['import', 'vehicles', await file('v.ndjson', lines(['V10'])), '--supplier', 'acme'],
      ['import', 'vehicles', await file('v.ndjson', lines(['V10']))],
      ['import', 'compliance', await file('c.ndjson', complianceLine({ registration: 'V10' }))],
      ['import', 'vehicles', await file('v.ndjson', lines(ALL.slice(1))), '--complete', '--remove-at-most=1'],
      ['remove', 'vehicles', '--all', '--supplier', 'acme'],
      ['remove', 'compliance', '--registration', 'V10'],
    ];
    for (const command of commands) {
      expect(await run(command)).toMatchObject({ exitCode: 0 });
      for (const table of TABLES) expect(await undoneIn(table)).toEqual(undone);
    }
    expect(await vehicles()).toEqual(ALL.slice(1));
    expect(await json(['remove', 'vehicles', '--registration', 'V10'])).toMatchObject({ notThere: 1 });
  });

  it('is shown by lookup', async () => {
    expect((await run(['lookup', 'V10'])).stdout).toMatch(/^Erasure +undone 2026-11-22T09:00:00.000Z\nVehicle +/m);
  });

  it('is not erased by an older export, and an older table, which counts it as kept', async () => {
    const old = await otherTables();
    await old.run('import', 'vehicles', admin.pathOf('erased.ndjson'), '--restore');
    await importLines(['V10']);
    const restored = await json(['import', 'vehicles', admin.pathOf('erased.ndjson'), '--restore']);
    expect(restored).toMatchObject({ unchanged: 9, kept: 1, erased: 0 });
    expect(await json(['erase', '--from', old.names.vehicles])).toMatchObject({ erased: 0, kept: 1 });
    expect(await vehicles()).toEqual(expect.arrayContaining(['V10']));
  });

  it('is erased again at a later time, even where the clock is behind', async () => {
    await eraseThese('V10');
    for (const table of TABLES) {
      expect(await erasuresIn(table)).toMatchObject([{ erased: { at: '2026-11-22T09:00:00.001Z' } }]);
    }
  });

  it.each([
    ['with the record', ['V10'], { loaded: 1, unchanged: 9 }],
    ['without a record', [], { unchanged: 9, undone: 1 }],
  ])('lifts the older erasure of a table into which an export is restored: %s', async (_, loaded, counts) => {
    const old = await otherTables();
    await old.run('import', 'vehicles', admin.pathOf('erased.ndjson'), '--restore');
    if (loaded.length > 0) await importLines(loaded);
    const path = admin.pathOf('later.ndjson');
    await run(['export', 'vehicles', path]);
    for (const options of [['--dry-run'], []]) {
      const { stdout } = await old.run('import', 'vehicles', path, '--restore', '--json', ...options);
      expect(JSON.parse(stdout)).toMatchObject(counts);
    }
    await old.run('export', 'vehicles', admin.pathOf('again.ndjson'));
    const linesOf = async (name: string) => (await readFile(admin.pathOf(name), 'utf8')).split('\n').toSorted();
    expect(await linesOf('again.ndjson')).toEqual(await linesOf('later.ndjson'));
    const compliance = await old.run('lookup', 'V10', '--json');
    expect(JSON.parse(compliance.stdout)).toMatchObject({ stored: { erased: null } });
  });
});

it.each([
  ['an erasure', [], 'erased'],
  ['that an erasure was undone', ['--undo'], 'undone'],
])('A restored table that lacks %s fails `tables check`, until it is copied', async (_what, options, change) => {
  await eraseThese('V11');
  if (options.length > 0) await eraseThese('V10');
  await run(['export', 'vehicles', admin.pathOf('before.ndjson')]);
  await run(['erase', '--registration', 'V10', ...options], LATER);
  const old = await otherTables();
  await old.run('import', 'vehicles', admin.pathOf('before.ndjson'), '--restore');
  const { names, endpoint } = engine();
  const tables = `vehicles=${old.names.vehicles},compliance=${old.names.compliance}`;
  const check = ['tables', 'check', 'vehicles', '--tables', tables, '--dynamodb', endpoint];
  const stdout = expect.stringContaining(`it lacks 1 erasures of ${names.vehicles}, made or undone`);
  expect(await runAdminCommand(check, names)).toMatchObject({ exitCode: 1, stdout });
  const copied = await json(['erase', '--from', names.vehicles, '--tables', tables]);
  expect(copied).toMatchObject({ [change]: 1, unchanged: 1 });
  expect(await runAdminCommand(check, names)).toMatchObject({ exitCode: 0 });
});

describe('A lookup of an erased vehicle', () => {
  const api = useApi(async ({ loadVehicles, loadCompliance }) => {
    await loadVehicles(aVehicle('V10'), aVehicle('V11'));
    await loadCompliance(aCompliance('V10'), aCompliance('V11'));
  });

  it('returns what it returns for an unknown vehicle, with the same reads', async () => {
    const { key } = api;
    type Request = Parameters<typeof api.call>;
    const requests = (registration: string) => [
      ...SINGLE_LOOKUPS.map(({ path }): Request => ['GET', path(registration), { key }]),
      ...BULK_LOOKUPS.map((path): Request => ['POST', path, { key, json: { registrations: [registration, 'V11'] } }]),
    ];
    const answers = async (registration: string) => {
      const shown: object[] = [];
      for (const request of requests(registration)) {
        api.faults.reset();
        const { status, body } = await api.call(...request);
        const { requestId, ...said } = body as Record<string, unknown>;
        const reads = api.faults.calls.map(({ operation }) => operation).sort();
        shown.push({ status, said: JSON.stringify(said).replaceAll(registration, 'R'), reads });
      }
      return shown;
    };
    const { names, endpoint } = api.engine;
    for (const options of [[], ['--undo']]) {
      await runAdminCommand(['erase', '--registration', 'V10', ...options, '--dynamodb', endpoint], names);
      expect(await answers('V10')).toEqual(await answers('U10'));
    }
  });

  it.each(TABLES)('returns it too when only one table has the erasure yet: %s', async (table) => {
    const { client, names } = api.engine;
    await storeItems(client, names[table], [{ registration: 'V11', erased: { at: AT, by: 'x' }, revision: '1' }]);
    const unknown = { status: 404, body: { code: 'VEHICLE_NOT_FOUND' } };
    expect(await api.call('GET', '/v1/compliance/V11', { key: api.key })).toMatchObject(unknown);
    await api.loadVehicles(aVehicle('V11'));
  });
});
