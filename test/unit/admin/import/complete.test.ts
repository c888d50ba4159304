import { readdirSync, readFileSync, statSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  ITEM_IDS,
  itemLine,
  VEHICLE_HEADER,
  vehicleLine,
  vehicleRow,
  vehiclesCsv,
} from '../../../support/import-files.ts';
import { aPolicy, aVehicle } from '../../../support/records.ts';
import { failure, useAdmin } from '../../../support/use-admin.ts';

const admin = useAdmin();
const { run, file, store, stored, registrations } = admin;

/** Registrations of 40 stored vehicles. At most 2 of them are removed without an option. */
const ALL = Array.from({ length: 40 }, (_, index) => `V${10 + index}`);
const linesOf = (registrations: readonly string[]) =>
  registrations.map((registration) => JSON.stringify(aVehicle(registration)));

const load = (lines: readonly string[], ...options: string[]) =>
  admin.load('vehicles', 'v.ndjson', lines.join('\n'), ...options);
const loadComplete = (lines: readonly string[], ...options: string[]) => load(lines, '--complete', ...options);
const listed = (what: string) =>
  readFileSync(admin.pathOf(`v.ndjson.${what}.txt`), 'utf8')
    .trimEnd()
    .split('\n');

beforeEach(() => loadComplete(linesOf(ALL), '--remove-at-most=100%'));

describe('import --complete', () => {
  const STOPPED = 'nothing was changed; when the file is right, raise --remove-at-most to';
  it.each<[string, number, readonly string[]]>([
    ['5 % without an option', 3, []],
    ['a number', 2, ['--remove-at-most=1']],
    ['a percentage, rounded up', 6, ['--remove-at-most=12.1%']],
  ])('changes nothing when more would go than %s', async (_limit, missing, options) => {
    const before = await stored();
    const left = ALL.slice(missing);
    const lines = [...linesOf(left), vehicleLine({ registration: 'NEW1' })];
    const stopped = await loadComplete(lines, ...options);
    const sentence = `the file lacks ${missing} of 40 stored records, more than the ${missing - 1} of`;
    expect(stopped).toMatchObject(failure(sentence));
    expect(stopped.stderr).toContain(`${STOPPED} ${missing}; the registrations are in`);
    expect(listed('missing')).toEqual(ALL.slice(0, missing));
    expect(await stored()).toEqual(before);
    expect(statSync(`${admin.pathOf('v.ndjson')}.missing.txt`).mode & 0o777).toBe(0o600);
    const accepted = [`--remove-at-most=${missing}`, `--lose-cover-at-most=${missing}`];
    expect(await loadComplete(lines, ...accepted)).toMatchObject({ exitCode: 0 });
    expect(await registrations()).toEqual(['NEW1', ...left]);
  });

  it('keeps vehicles with a rejected row, and counts each row without a registration', async () => {
    const rows = ALL.slice(6).map((registration) => vehicleRow({ registration }));
    const year = vehicleRow({ registration: 'V10', year: 'x' });
    const others = ALL.slice(1, 4).map((registration) => vehicleRow({ registration }));
    const unreadable = [vehicleRow({ registration: '' })];
    const csv = await file('v.csv', vehiclesCsv(...rows, year, ...others, ...unreadable));
    const complete = ['import', 'vehicles', csv, '--complete', '--unreadable-at-most=1'];
    const nameless = 'and 1 row without a readable registration, each counted as one';
    const sentence = `the file lacks 2 of 40 stored records, ${nameless}, more than the 2 of`;
    expect(await run([...complete, '--remove-at-most=2'])).toEqual(failure(sentence));
    expect((await run([...complete, '--remove-at-most=3'])).exitCode).toBe(1);
    expect(await registrations()).toEqual(ALL.filter((registration) => !['V14', 'V15'].includes(registration)));
    expect(await admin.rejectedLines(csv)).toHaveLength(2);
  });

  const NO_ROWS = 'the file has no rows, and with --complete everything stored would be removed: nothing was changed';
  const REJECTED = 'this is a file of rejected rows';
  const rejectedLine = JSON.stringify({ line: 1, reasons: ['r'], row: { registration: 'V10' } });
  it.each<[string, string, string]>([
    ['v.csv', VEHICLE_HEADER, NO_ROWS],
    ['v.csv', vehiclesCsv(vehicleRow()).replace(/^/, 'line,reason,').replace('\n', '\n3,r,'), REJECTED],
    ['v.ndjson', rejectedLine, 'line 1 is of a file of rejected rows: load what it has as its "row"'],
  ])('is refused: %s %j, %s', async (name, text, sentence) => {
    const refused = await admin.load('vehicles', name, text, '--complete', '--remove-at-most=100%');
    expect(refused).toMatchObject(failure(sentence));
    expect(await registrations()).toEqual(ALL);
  });

  it('leaves a damaged record that the file lacks, and names it in a file; the rows of one are rejected', async () => {
    await store('vehicles', { registration: 'BAD1' }, { registration: 'V20', policies: 1 });
    const { exitCode, stderr } = await loadComplete(linesOf(ALL));
    expect(exitCode).toBe(1);
    expect(listed('damaged')).toEqual(['BAD1']);
    expect(await stored()).toHaveLength(41);
    expect(stderr).toContain('Damaged records that the file lacks stay: 1; they are in ');
    // 5 % of 39 is 1: damaged records, which may be anyone's, do not raise the limit.
    expect(await loadComplete(linesOf(ALL.slice(3)))).toMatchObject(failure('the file lacks 3 of 39 stored records'));
    const reasons = ['the stored record of this vehicle is damaged; remove it, then import this row'];
    expect(await admin.rejectedLines(admin.pathOf('v.ndjson'))).toMatchObject([{ line: 11, reasons }]);
    expect(await run(['remove', 'vehicles', '--registration', 'BAD1', 'V20'])).toMatchObject({ exitCode: 0 });
    expect(await loadComplete(linesOf(ALL))).toMatchObject({ exitCode: 0 });
  });
});

describe('import vehicles --complete --lose-cover-at-most', () => {
  const ENDED = { policies: [aPolicy({ validTo: '2025-12-31', validFrom: '2025-01-01' })] };
  /** A complete file, some of whose vehicles have policies that ended last year, as when a column has shifted. */
  const withEnded = (ended: number, ...left: readonly string[]) => [
    ...ALL.slice(0, ended).map((registration) => vehicleLine({ registration, ...ENDED })),
    ...linesOf(left.length > 0 ? left : ALL.slice(ended)),
  ];

  it('removes nothing, and says so, when every row that says anything is rejected', async () => {
    const due = (rows: string) =>
      admin.load('mot', 'm.csv', `registration,mot_due\n${rows}`, '--complete', '--remove-at-most=100%');
    await due('V1,2027-01-01\nV2,2027-01-01\nV3,2027-01-01\n');
    const stderr = expect.stringContaining('What the file lacks stays, because every row was rejected.\n');
    expect(await due('V1,01/31/2027\nV2,\n')).toMatchObject({ exitCode: 1, stderr });
    expect(await admin.stored('compliance')).toHaveLength(3);
  });

  it('changes nothing when more than 5 % would not be insured any more, removed ones too, and names three', async () => {
    const before = await stored();
    const lines = withEnded(3, ...ALL.slice(5));
    const stopped = await loadComplete(lines);
    const sentence =
      '5 of 40 vehicles that this supplier insures today would no longer be insured by it, such as V10, V11, V12, more than the 2 of --lose-cover-at-most 5%: nothing was changed; when the file is right, raise --lose-cover-at-most to 5\n';
    expect(stopped).toMatchObject(failure(sentence));
    expect(await stored()).toEqual(before);
    expect(readdirSync(admin.pathOf('.'))).toHaveLength(2);
    const loaded = await loadComplete(lines, '--json', '--lose-cover-at-most=5');
    expect(JSON.parse(loaded.stdout)).toMatchObject({ loaded: 3, removed: 2, unchanged: 35, noLongerInsured: 5 });
  });
  it('counts only cover of its own supplier, on the day of the load, no renewal, and no vehicle that was not insured', async () => {
    await loadComplete(withEnded(5), '--lose-cover-at-most=5');
    await admin.load('vehicles', 'acme.ndjson', linesOf(ALL).join('\n'), '--supplier', 'acme');
    const renewed = { policies: [aPolicy({ number: 'NEXT', validFrom: '2026-11-01' })] };
    const rest = ALL.slice(7).map((registration) => vehicleLine({ registration, ...renewed }));
    expect(await loadComplete([...withEnded(7).slice(0, 7), ...rest])).toMatchObject({ exitCode: 0 });
    const later = { now: new Date('2027-01-01T12:00:00Z') };
    const path = await file('all.ndjson', withEnded(40).join('\n'));
    expect(await run(['import', 'vehicles', path, '--complete'], later)).toMatchObject({ exitCode: 0 });
    await run(['remove', 'vehicles', '--all', '--supplier', 'acme']);
  });
});

describe('--dry-run', () => {
  /** The counts of records and rows. */
  const counts = ({ stdout }: { stdout: string }) => {
    const { seconds, rowsPerSecond, ...numbers } = JSON.parse(stdout);
    return Object.fromEntries(Object.entries(numbers).filter(([, value]) => typeof value === 'number'));
  };

  it.each([
    ['import', ['--complete'], ALL.slice(0, 2)],
    ['import', [], []],
    ['remove', [], ALL.slice(2)],
  ])('of %s %j writes nothing, counts the same and lists removals', async (verb, options, removed) => {
    const added = [{ registration: 'NEW1' }, { registration: 'B1', policies: 7 }].map(vehicleLine);
    const path = await file('v.ndjson', [...linesOf(ALL.slice(2)), ...added].join('\n'));
    const args = [verb, 'vehicles', path, ...options, '--json'];
    const before = await stored();
    const tried = await admin.countedRun([...args, '--dry-run']);
    expect(admin.writes()).toEqual([]);
    expect(await stored()).toEqual(before);
    const list = removed.length > 0 ? `${path}.removed.txt` : null;
    expect(JSON.parse(tried.stdout)).toMatchObject({ dryRun: true, removedFile: list });
    expect(list === null ? [] : listed('removed')).toEqual(removed);
    const done = await run(args);
    expect(counts(tried)).toEqual(counts(done));
    expect(tried.exitCode).toEqual(done.exitCode);
    expect((await registrations()).filter((one) => removed.includes(one))).toEqual([]);
  });

  it('of content checks each row, writes nothing, and says that it does not know which slugs will be free', async () => {
    const [id, other] = ITEM_IDS;
    const item = (slug: string, fields: object = {}) => itemLine(slug, { domain: 'dry.example', ...fields });
    const first = await file('c.ndjson', [item('a', { id }), item('s'), item('t')].join('\n'));
    await run(['import', 'content', first]);
    // The import rejects the last row.
    const rows = [item('b', { id }), item('a', { title: 'U' }), item('s'), item('bad slug'), item('t', { id: other })];
    const args = ['import', 'content', await file('c.ndjson', rows.join('\n'))];
    const { stderr, ...tried } = await admin.countedRun([...args, '--dry-run']);
    expect(admin.writes()).toEqual([]);
    expect(stderr).toContain('does not know which slugs will be free: the import may reject further rows');
    expect(tried.stdout).toMatch(/^ +5 +3 +1 +1 /m);
    expect(counts(await run([...args, '--json']))).toMatchObject({ read: 5, loaded: 2, unchanged: 1, rejected: 2 });
  });
});
