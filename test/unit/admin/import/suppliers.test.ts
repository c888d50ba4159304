import { readFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SuppliedVehicle } from '../../../../admin/records/vehicle-parts.ts';
import { readFinishedLoads } from '../../../../core/finished-loads.ts';
import { vehicleLine, vehicleRow, vehiclesCsv } from '../../../support/import-files.ts';
import { aPolicy } from '../../../support/records.ts';
import { BEGINS_AGAIN, useAdmin } from '../../../support/use-admin.ts';

const admin = useAdmin();
const { run, json, file, stored, store } = admin;

type Stored = SuppliedVehicle & { readonly revision?: string };

const FORD = { make: 'Ford', model: 'Ka', year: 2019, color: 'Red' };
const SEAT = { make: 'Seat', model: 'Ibiza', year: 2019, color: 'Blue' };
const day = (nth: number): string => `2026-10-${String(nth).padStart(2, '0')}T00:00:00.000Z`;

/** A line of a file with a policy of each of these numbers. */
const aLine = (registration: string, numbers: readonly string[], fields: object = {}): string =>
  vehicleLine({ registration, vehicle: FORD, policies: numbers.map((number) => aPolicy({ number })), ...fields });

/** Loads the lines as a supplier, or as the one without a name. @returns the counts */
const load = async (supplier: string | undefined, lines: readonly string[], ...options: string[]) => {
  const path = await file(`${supplier ?? 'nameless'}.ndjson`, lines.join('\n'));
  const named = supplier === undefined ? [] : ['--supplier', supplier];
  return JSON.parse((await admin.countedRun(['import', 'vehicles', path, '--json', ...named, ...options])).stdout);
};
const records = () => stored<Stored>();
const find = async (registration: string) => {
  const { revision, ...record } = (await records()).find((one) => one.registration === registration) as Stored;
  return record;
};
/** The policies of every vehicle, each as its supplier and its number. */
const policies = async () =>
  Object.fromEntries(
    (await records()).map((one) => [one.registration, one.policies.map((p) => `${p.supplier ?? '-'} ${p.number}`)]),
  );
const removeAll = (...args: string[]) => run(['remove', 'vehicles', '--all', ...args]);

beforeEach(admin.clear);

describe('import vehicles --supplier', () => {
  it('stores each policy with its supplier, in the order of supplier and file, and the latest details of the vehicle', async () => {
    await load('acme', [aLine('V1', ['A1'], { lastUpdated: day(3), vehicle: SEAT })]);
    await load('zeta', [aLine('V1', ['Z2', 'Z1'], { lastUpdated: day(2) })]);
    await load(undefined, [aLine('V1', ['N1'], { lastUpdated: day(1) })]);
    expect(await find('V1')).toEqual({
      registration: 'V1',
      vehicle: SEAT,
      policies: [
        aPolicy({ number: 'N1' }),
        { ...aPolicy({ number: 'A1' }), supplier: 'acme' },
        ...['Z2', 'Z1'].map((number) => ({ ...aPolicy({ number }), supplier: 'zeta' })),
      ],
      lastUpdated: day(3),
      supplied: {
        '-': { lastUpdated: day(1), vehicle: FORD },
        acme: { lastUpdated: day(3), vehicle: SEAT },
        zeta: { lastUpdated: day(2), vehicle: FORD },
      },
    });
  });

  it('compares its own part: details that disagree are written once and do not flap from night to night', async () => {
    const acme = await file('acme.ndjson', aLine('V1', ['A1'], { lastUpdated: undefined }));
    const row = vehicleRow({ registration: 'V1', make: 'Seat', last_updated: '' });
    const zeta = await file('zeta.csv', vehiclesCsv(row));
    const night = async (nth: number) => {
      for (const path of [acme, zeta]) await utimes(path, new Date(), new Date(day(nth)));
      admin.proxy().reset();
      await admin.countedRun(['import', 'vehicles', zeta, '--supplier', 'zeta']);
      await admin.countedRun(['import', 'vehicles', acme, '--supplier', 'acme', '--complete']);
      return admin.writes().length;
    };
    // Both files are equally late: the first name decides.
    expect(await night(1)).toBe(2);
    expect((await find('V1')).vehicle.make).toBe('Ford');
    const first = await records();
    for (const nth of [2, 3]) {
      expect(await night(nth)).toBe(0);
      expect(await records()).toEqual(first);
    }
  });
});

it('A vehicle has at most 20 policies and 20 suppliers: one more is a rejected row, which names nobody', async () => {
  const names = Array.from({ length: 20 }, (_, nth) => `supplier-${10 + nth}`);
  for (const name of names) await load(name, [aLine('V1', [name])]);
  const before = await records();
  expect(before[0]?.policies.map(({ supplier }) => supplier)).toEqual(names);
  for (const [name, numbers, reason] of [
    ['supplier-10', ['1', '2'], 'a vehicle has at most 20 policies, with those of other suppliers'],
    ['other', ['1'], 'a vehicle has at most 20 policies, with those of other suppliers'],
    ['other', [], 'a vehicle has at most 20 suppliers'],
  ] as const) {
    const lines = [aLine('V1', numbers), aLine('W1', numbers)];
    for (const options of [['--dry-run'], []]) {
      expect(await load(name, lines, ...options)).toMatchObject({ loaded: 1, rejected: 1 });
    }
    const rejected = await admin.rejectedLines(admin.pathOf(`${name}.ndjson`));
    expect(rejected).toMatchObject([{ line: 1, reasons: [reason] }]);
  }
  expect((await records()).slice(0, 1)).toEqual(before);
  expect(await load('supplier-10', [aLine('V1', ['new'])])).toMatchObject({ loaded: 1 });
});

describe('A vehicle that has 15 policies of acme in an export and a removal, and 15 of zeta since', () => {
  const policiesOf = (name: string) => Array.from({ length: 15 }, (_, nth) => `${name}${nth}`);
  beforeEach(async () => {
    await load('acme', [aLine('V1', policiesOf('A')), aLine('V2', ['A'])]);
    await run(['export', 'vehicles', admin.pathOf('export.ndjson')]);
    await run(['remove', 'vehicles', '--registration', 'V1', 'V2']);
    await load('zeta', [aLine('V1', policiesOf('Z'))]);
  });

  it.each([
    ['the undo of the removal', 'remove-vehicles.changes.ndjson', ['undo'], ['--although-loaded-since'], 'putBack'],
    ['--restore --if-newer', 'export.ndjson', ['import', 'vehicles'], ['--restore', '--if-newer'], 'loaded'],
  ])('stays and is named by %s, which puts back the others', async (_what, name, command, options, done) => {
    const path = admin.pathOf(name);
    const before = await find('V1');
    const { exitCode, stdout } = await run([...command, path, '--json', ...options]);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ [done]: 1, rejected: 1 });
    const reasons = ['a vehicle has at most 20 policies, with those of other suppliers'];
    expect(await admin.rejectedLines(path)).toMatchObject([{ reasons, row: { registration: 'V1' } }]);
    expect(await find('V1')).toEqual(before);
  });

  it('is replaced by --restore, and with --if-newer keeps a later part that makes it fit', async () => {
    const path = admin.pathOf('export.ndjson');
    expect(await json(['import', 'vehicles', path, '--restore'])).toMatchObject({ loaded: 2 });
    expect((await find('V1'))?.policies).toHaveLength(15);
    await load('acme', [aLine('V1', ['A0'], { lastUpdated: day(20) })]);
    await load('zeta', [aLine('V1', policiesOf('Z'))]);
    const line = JSON.parse(
      readFileSync(path, 'utf8')
        .split('\n')
        .find((one) => one.includes('"V1"')) ?? '',
    );
    line.supplied.other = line.supplied.acme;
    const newer = await file('newer.ndjson', JSON.stringify(line));
    expect(await json(['import', 'vehicles', newer, '--restore', '--if-newer'])).toMatchObject({ loaded: 1 });
    expect((await find('V1'))?.policies).toHaveLength(16);
  });
});

describe('remove vehicles --all', () => {
  beforeEach(async () => {
    await load(undefined, [aLine('V1', ['N1']), aLine('V2', ['N2'])]);
    await load('acme', [aLine('V1', ['A1']), aLine('V3', ['A3'])]);
  });

  it('removes what the supplier without a name has supplied, and with --supplier what that one has', async () => {
    const counts = { removed: 2, noLongerInsured: 1, damaged: 0 };
    const nameless = { kind: 'vehicles', supplier: null, ...counts, interrupted: false };
    const changesFile = admin.pathOf('remove-vehicles.changes.ndjson');
    expect(await json(['remove', 'vehicles', '--all'])).toEqual({ ...nameless, changesFile });
    expect(await policies()).toEqual({ V1: ['acme A1'], V3: ['acme A3'] });
    const stdout = expect.stringMatching(
      /^removed: 2\nVehicles that are no longer insured: 2\.\nWhat was changed is in /,
    );
    expect(await removeAll('--supplier', 'acme')).toEqual({ exitCode: 0, stderr: '', stdout });
    expect(await records()).toEqual([]);
    // So that no answer counts this supplier as current.
    const find = await readFinishedLoads(admin.engine().client, admin.engine().names.usage);
    expect(find({ kind: 'vehicles', supplier: 'acme' })).toMatchObject({ isRemoval: true });
  });

  it('leaves a record that is damaged because no supplier has a policy of it, with a notice', async () => {
    const damaged = { ...JSON.parse(aLine('BAD1', [])), policies: [{ ...aPolicy(), supplier: 'ghost' }] };
    await store('vehicles', damaged);
    const stderr = 'Damaged records, which may be anyone’s, stay: 1.\n';
    expect(await removeAll('--supplier', 'ghost')).toMatchObject({ exitCode: 1, stderr });
    expect(await records()).toContainEqual(damaged);
  });

  it('says that a mistyped supplier has supplied nothing, and after Ctrl-C that the same command begins again', async () => {
    const stderr = 'There was nothing that amce has supplied.\n';
    expect(await removeAll('--supplier', 'amce')).toEqual({ exitCode: 0, stdout: 'removed: 0\n', stderr });
    const stopped = await admin.interruptedRun(['remove', 'vehicles', '--all'], 1, 'Scan');
    expect(stopped).toMatchObject({ exitCode: 130, stderr: `Stopped by Ctrl-C; ${BEGINS_AGAIN}.\n` });
  });
});

describe('export vehicles and import --restore', () => {
  const exported = async (...args: string[]) => {
    expect(await run(['export', 'vehicles', admin.pathOf('e.ndjson'), ...args])).toMatchObject({ exitCode: 0 });
    return readFileSync(admin.pathOf('e.ndjson'), 'utf8').trimEnd().split('\n').toSorted();
  };
  const restore = async (lines: readonly string[], ...options: string[]) =>
    run(['import', 'vehicles', await file('r.ndjson', lines.join('\n')), '--restore', ...options]);

  beforeEach(async () => {
    // Two suppliers may use the same number.
    await load(undefined, [aLine('V1', ['P1']), aLine('V2', ['P2'])]);
    await load('acme', [aLine('V1', ['P1'], { vehicle: SEAT, lastUpdated: day(1) }), aLine('V3', [])]);
    await load('7', [aLine('V1', ['P1'])]);
  });

  it('--supplier exports what this supplier has supplied, as its own file', async () => {
    const lines = await exported('--supplier', 'acme');
    expect(lines.map((one) => JSON.parse(one))).toEqual([
      JSON.parse(aLine('V1', ['P1'], { vehicle: SEAT, lastUpdated: day(1) })),
      JSON.parse(aLine('V3', [])),
    ]);
    expect(await load('acme', lines, '--complete')).toMatchObject({ loaded: 0, unchanged: 2, removed: 0 });
  });

  it('reject a line of several suppliers that was changed by hand', async () => {
    const [several = ''] = await exported();
    const record = JSON.parse(several);
    const { acme, ...others } = record.supplied;
    const wrongYear = { ...acme, vehicle: { ...SEAT, year: 'x' } };
    const mismatch = 'supplied: does not go with vehicle, policies and lastUpdated as an export has them';
    const changes: [fields: object, reason: string][] = [
      [{ vehicle: FORD }, mismatch],
      [{ supplied: undefined }, mismatch],
      [{ supplied: others }, mismatch],
      [{ supplied: { ...record.supplied, Acme: acme } }, 'supplied.Acme: is not a field of this record'],
      [{ supplied: { ...others, acme: wrongYear } }, 'supplied.acme.vehicle.year: must be a whole number'],
      [{ supplied: { ...others, acme: { ...acme, lastUpdated: '2026-01-99' } } }, 'supplied.acme.lastUpdated: must be'],
      [{ supplied: 1 }, 'supplied: must be an object'],
      [{ policies: [{ ...record.policies[0], validFrom: '01/02/2026' }] }, 'policies[0].validFrom: must be YYYY-MM-DD'],
    ];
    await restore(changes.map(([fields], nth) => JSON.stringify({ ...record, registration: `R${nth}`, ...fields })));
    const reasons = (await admin.rejectedLines(admin.pathOf('r.ndjson'))).map((row) => String(row.reasons));
    expect(reasons).toEqual(changes.map(([, text]) => expect.stringContaining(text)));
  });
});
