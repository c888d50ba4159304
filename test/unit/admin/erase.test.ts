import { readFile } from 'node:fs/promises';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Erasure } from '../../../core/vehicles/erasure.ts';
import { storeItems } from '../../support/engine.ts';
import { aCompliance, aVehicle } from '../../support/records.ts';
import { failure, NOW, runAdminCommand, useAdmin } from '../../support/use-admin.ts';
import { useApi } from '../../support/use-api.ts';

const admin = useAdmin();
const { engine, run, json, file, stored } = admin;

const ALL = Array.from({ length: 10 }, (_, nth) => `V${10 + nth}`);
const AT = NOW.toISOString();
const LATER = { now: new Date('2026-11-22T09:00:00.000Z') };

const erased = async (table: 'vehicles' | 'compliance' = 'vehicles') =>
  (await stored<Erasure>(table)).filter((item) => item.erased).map(({ registration }) => registration);
const vehicles = async () => (await stored()).filter(({ vehicle }) => vehicle).map(({ registration }) => registration);
const eraseThese = (...registrations: string[]) => run(['erase', '--registration', ...registrations]);
const lines = (registrations: readonly string[], fields: object = {}) =>
  registrations.map((one) => JSON.stringify({ ...aVehicle(one), ...fields })).join('\n');
const importLines = async (registrations: readonly string[], ...options: string[]) =>
  json<Record<string, unknown>>(['import', 'vehicles', await file('v.ndjson', lines(registrations)), ...options]);

beforeEach(async () => {
  const { client, names } = engine();
  for (const table of ['vehicles', 'compliance'] as const) {
    for (const { registration } of await stored(table)) {
      await client.send(new DeleteCommand({ TableName: names[table], Key: { registration } }));
    }
  }
  await storeItems(
    client,
    names.vehicles,
    ALL.map((one) => aVehicle(one)),
  );
  await storeItems(
    client,
    names.compliance,
    ALL.map((one) => aCompliance(one)),
  );
  admin.proxy().reset();
});

describe('erase', () => {
  it.each([
    ['a file', async () => ['erase', await file('e.txt', 'v10\nV11\nNOT1\nV10\n')]],
    ['--registration', async () => ['erase', '--registration', 'v10', 'V11', 'NOT1', 'V10']],
  ])(
    'puts an erasure in both tables, also where nothing is stored, and names what is not there: %s',
    async (_, args) => {
      expect(await json(await args())).toMatchObject({ erased: 2, notThere: 1, unchanged: 0 });
      for (const table of ['vehicles', 'compliance'] as const) {
        expect(await stored(table)).toHaveLength(11);
        expect((await stored<Erasure>(table)).filter((item) => item.erased)).toEqual(
          ['NOT1', 'V10', 'V11'].map((registration) => ({
            registration,
            revision: expect.any(String),
            erased: { at: AT, by: expect.any(String) },
          })),
        );
      }
    },
  );

  it('names in a file what is not there, and refuses a file with an unreadable row', async () => {
    const path = await file('e.txt', 'V10\nNOT1\n');
    expect(await json(['erase', path])).toMatchObject({ kind: 'vehicles', notThereFile: `${path}.not-there.txt` });
    expect(await readFile(`${path}.not-there.txt`, 'utf8')).toBe('NOT1\n');
    expect(await run(['erase', await file('e.txt', 'V11\nA_B\n')])).toEqual(failure('line 2 has an invalid'));
    expect(await erased()).toEqual(['NOT1', 'V10']);
  });

  it('is never done by half: a line that has a registration twice refuses the file, any other field is not read', async () => {
    const lines = ['{"registration":"V10"}', '{"registration":"V11","note":1,"note":2}'];
    const half = [...lines, '{"registration":"V12","registration":"V13"}'].join('\n');
    expect(await run(['erase', await file('e.ndjson', half)])).toEqual(failure('line 3 has its registration twice'));
    expect(await erased()).toEqual([]);
    expect(await json(['erase', await file('e.ndjson', lines.join('\n'))])).toMatchObject({ erased: 2, rejected: 0 });
    expect(await erased()).toEqual(['V10', 'V11']);
  });

  it('keeps the first time and name when a vehicle is erased again, and completes what one table lacks', async () => {
    await eraseThese('V10');
    expect(await json(['erase', '--registration', 'V10'], LATER)).toMatchObject({ erased: 0, unchanged: 1 });
    await storeItems(engine().client, engine().names.vehicles, [aVehicle('V10')]);
    expect(await json(['erase', '--registration', 'V10'], LATER)).toMatchObject({ erased: 1, unchanged: 0 });
    expect((await stored<Erasure>()).find((item) => item.erased)).toMatchObject({ erased: { at: AT } });
  });

  it('is taken back with --undo, which brings no data back', async () => {
    await eraseThese('V10', 'V11');
    expect(await json(['erase', '--undo', '--registration', 'V10', 'V12'])).toMatchObject({ undone: 1, notThere: 1 });
    expect([await erased(), await erased('compliance')]).toEqual([['V11'], ['V11']]);
    expect(await vehicles()).toEqual(ALL.slice(2));
    expect(await importLines(['V10', 'V11'])).toMatchObject({ loaded: 1, erased: 1 });
  });

  it.each([
    [['erase', 'FILE'], { erased: 2, notThere: 0, unchanged: 0 }],
    [['erase', '--registration', 'V10'], { erased: 1, notThere: 0, unchanged: 0 }],
    [['erase', '--undo', '--registration', 'V12'], { undone: 1, notThere: 0 }],
  ])('changes nothing with --dry-run: %j', async (args, counts) => {
    await eraseThese('V12');
    const path = await file('e.txt', 'V10\nV11\n');
    const given = args.map((one) => (one === 'FILE' ? path : one));
    expect(await json([...given, '--dry-run'])).toMatchObject({ ...counts, dryRun: true });
    expect(await erased()).toEqual(['V12']);
  });
});

describe('An erased vehicle', () => {
  beforeEach(() => eraseThese('V10', 'V11'));

  it.each<[string, readonly string[], object]>([
    ['import', [], { loaded: 0, unchanged: 8, erased: 2 }],
    ['import --supplier', ['--supplier', 'acme'], { loaded: 8, erased: 2 }],
    ['import --if-newer', ['--if-newer'], { unchanged: 8, erased: 2 }],
    ['import --complete', ['--complete'], { unchanged: 8, removed: 0, erased: 2 }],
    ['import --restore', ['--restore'], { unchanged: 8, erased: 2 }],
  ])('is left by %s, which counts it', async (_command, options, counts) => {
    expect(await importLines(ALL, ...options)).toMatchObject({ ...counts, rejected: 0 });
    expect([await erased(), await vehicles()]).toEqual([['V10', 'V11'], ALL.slice(2)]);
  });

  it('is neither missing nor damaged nor counted in the guard of a complete file', async () => {
    const file7 = await file('v.ndjson', lines(ALL.slice(3)));
    expect(await run(['import', 'vehicles', file7, '--complete', '--remove-at-most=0'])).toEqual(
      failure('the file lacks 1 of 8 stored records, more than the 0'),
    );
    const complete = [...ALL.slice(2, 9), 'V10'];
    const counts = { removed: 1, erased: 1, damaged: 0 };
    expect(await importLines(complete, '--complete', '--remove-at-most=1')).toMatchObject(counts);
    expect(await erased()).toEqual(['V10', 'V11']);
  });

  it.each([
    [['remove', 'vehicles', '--registration', 'V10', 'V12'], { removed: 1, notThere: 0, erased: 1 }],
    [['remove', 'compliance', '--registration', 'V10', 'V12'], { removed: 1, notThere: 0, erased: 1 }],
    [['remove', 'vehicles', 'FILE'], { removed: 1, notThere: 0, erased: 1 }],
    [['remove', 'vehicles', '--all'], { removed: 8, damaged: 0 }],
  ])('is not removed by %j', async (args, counts) => {
    const path = await file('r.txt', 'V10\nV12\n');
    expect(await json(args.map((one) => (one === 'FILE' ? path : one)))).toMatchObject(counts);
    expect([await erased(), await erased('compliance')]).toEqual(Array(2).fill(['V10', 'V11']));
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
    const scans = Array(8).fill(['Scan']);
    expect([await readsOf(), await readsOf('--complete')]).toEqual([[['BatchGetItem', 10]], scans]);
  });

  it('is exported and restored with time and name, in both tables, and only with --restore', async () => {
    const path = admin.pathOf('x.ndjson');
    for (const table of ['vehicles', 'compliance'] as const) {
      expect(await json(['export', table, path])).toMatchObject({ exported: 8, erased: 2, damaged: 0 });
      await run(['erase', '--undo', '--registration', 'V10', 'V11']);
      const refused = await json(['import', table, path]);
      expect(refused).toMatchObject({
        unchanged: 8,
        rejected: 2,
        reasons: [{ advice: 'only --restore loads it' }],
      });
      expect(await json(['import', table, path, '--restore'], LATER)).toMatchObject({ unchanged: 8, erased: 2 });
      for (const restored of [await stored<Erasure>(), await stored<Erasure>('compliance')]) {
        expect(restored.filter((item) => item.erased).map((item) => item.erased.at)).toEqual([AT, AT]);
      }
    }
    await run(['export', 'vehicles', path, '--supplier', 'acme']);
    expect(await readFile(path, 'utf8')).toBe('');
  });

  it('is shown by lookup', async () => {
    const { stdout } = await run(['lookup', 'V10']);
    expect(stdout).toMatch(new RegExp(`^Erased +${AT}, by .+$`, 'm'));
    const { stored: shown } = await json<{ stored: object }>(['lookup', 'V10']);
    expect(shown).toEqual({ vehicle: null, compliance: null, erased: { at: AT, by: expect.any(String) } });
  });

  it('fails `tables check` of a table that lacks it, until it is copied from the table in use', async () => {
    const { client, names } = engine();
    const current = names.vehicles;
    const restored = names.compliance;
    // The other table has the same key: a restored table that lacks the erasure of V10.
    await client.send(new DeleteCommand({ TableName: restored, Key: { registration: 'V10' } }));
    await storeItems(client, restored, [aVehicle('V10')]);
    const check = ['tables', 'check', 'vehicles', '--tables', `vehicles=${restored}`, '--dynamodb', engine().endpoint];
    const checked = await runAdminCommand(check, names);
    expect([checked.exitCode, checked.stdout]).toEqual([
      1,
      expect.stringContaining(`it lacks 1 erasures of ${current}`),
    ]);
    const copy = ['erase', '--from', current, '--tables', `vehicles=${current},compliance=${restored}`];
    expect(await json(copy)).toMatchObject({ erased: 1, unchanged: 1 });
    expect((await runAdminCommand(check, names)).exitCode).toBe(0);
  });
});

describe('A lookup of an erased vehicle', () => {
  const api = useApi(async ({ loadVehicles, loadCompliance }) => {
    await loadVehicles(aVehicle('V10'), aVehicle('V11'));
    await loadCompliance(aCompliance('V10'), aCompliance('V11'));
  });

  it('returns what it returns for an unknown vehicle, with the same reads', async () => {
    const bulk = (endpoint: string) => (registration: string) =>
      api.call('POST', `/v1/vehicle/${endpoint}`, { key: api.key, json: { registrations: [registration, 'V11'] } });
    const lookUp = (path: string) => (registration: string) =>
      api.call('GET', path.replace('R', registration), { key: api.key });
    const lookups = [
      lookUp('/v1/vehicle/R/insurance'),
      lookUp('/v1/compliance/R'),
      bulk('bulk-insurance'),
      bulk('bulk-compliance'),
    ];
    const answers = async (registration: string) => {
      const shown: unknown[] = [];
      for (const look of lookups) {
        api.faults.reset();
        const { status, body } = await look(registration);
        const { requestId, ...said } = body as Record<string, unknown>;
        const reads = api.faults.calls.map(({ operation }) => operation).sort();
        shown.push({ status, said: JSON.parse(JSON.stringify(said).replaceAll(registration, 'R')), reads });
      }
      return shown;
    };
    const { names, endpoint } = api.engine;
    await runAdminCommand(['erase', '--registration', 'V10', '--dynamodb', endpoint], names);
    expect(await answers('V10')).toEqual(await answers('U10'));
  });

  it.each(['vehicles', 'compliance'] as const)(
    'returns it too while one of the two tables is read before the erasure: only %s has it',
    async (table) => {
      await storeItems(api.engine.client, api.engine.names[table], [
        { registration: 'V11', erased: { at: AT, by: 'x' }, revision: '1' },
      ]);
      expect(await api.call('GET', '/v1/compliance/V11', { key: api.key })).toMatchObject({
        status: 404,
        body: { code: 'VEHICLE_NOT_FOUND' },
      });
      await api.loadVehicles(aVehicle('V11'));
    },
  );
});
