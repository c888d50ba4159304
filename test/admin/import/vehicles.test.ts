import { describe, expect, it } from '@jest/globals';
import { commandLine } from '../command-line.ts';
import { VEHICLE_HEADER, type VehicleCells, vehicleLine, vehicleRow, vehiclesCsv } from '../import-files.ts';

const { load, stored, rejectedLines } = commandLine();

const loadRows = (...rows: VehicleCells[]) => load('vehicles', 'v.csv', vehiclesCsv(...rows.map(vehicleRow)));
const find = async (registration: string) => (await stored()).find((record) => record.registration === registration);
const containing = (reasons: readonly string[]) => reasons.map((reason) => expect.stringContaining(reason));

const details = { make: 'Ford', model: 'Fiesta', year: 2019, color: 'Red' };
const policy = { number: 'P-1', insurer: 'Acme', validFrom: '2026-01-01', validTo: '2026-12-31', type: 'Third Party' };
const lastUpdated = '2026-01-02T03:04:05.000Z';
const NO_POLICY = { policy_number: '', insurer: '', valid_from: '', valid_to: '', policy_type: '' };

describe('import vehicles of a CSV', () => {
  it('stores a vehicle with a policy per row, under its normalised registration', async () => {
    const result = await loadRows({ registration: 'zz 9-a' }, { registration: 'ZZ9A', policy_number: 'P-2' });
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    const fields = { ...policy, insurer: 'Acme Mutual', type: 'Comprehensive' };
    const policies = ['P-1', 'P-2'].map((number) => ({ ...fields, number }));
    expect(await find('ZZ9A')).toEqual({ registration: 'ZZ9A', vehicle: details, policies, lastUpdated });
  });

  it('stores no policy for blank columns of a policy, and a vehicle without a model as registers have them', async () => {
    await loadRows({ registration: 'BLANK', ...NO_POLICY, model: ' ' });
    expect(await find('BLANK')).toMatchObject({ policies: [], vehicle: { model: '' } });
  });

  it.each([
    [['TBC', 'AB12CDE', 'na', 'W123', 'TBC'], '2 registrations have', 'TBC, NA'],
    [['TBC', 'AB12CDE', 'na', 'TBC', '123', '0'], '4 registrations have', 'TBC, NA, 123, …'],
    [['ß', 'ABCDEFGHIJKL'], '1 registration has', 'ABCDEFGHIJKL'],
  ])(
    'counts the registrations of no known UK format that it loads, with the first three: %j',
    async (names, count, examples) => {
      const { stdout } = await loadRows(
        ...names.map((registration, nth) => ({ registration, policy_number: `${nth}` })),
      );
      expect(stdout).toContain(`${count} no known UK format, which is often a mistake: ${examples}\n`);
    },
  );

  /** The cells of a row, and its reasons. */
  const badRows: (readonly [VehicleCells, ...string[]])[] = [
    [{ registration: ' - ' }, 'registration: must have 1 to 12'],
    [{ year: 'MMXIX' }, 'year: must be'],
    [{ year: '1884' }, 'year: must be'],
    [{ year: '2028' }, 'year: must be'],
    [{ model: 'x'.repeat(101) }, 'model: must have at most 100'],
    [{ policy_number: '', valid_to: '' }, 'policy_number: must not', 'valid_to: must not'],
    [{ valid_from: '1 May 2026' }, 'valid_from: must be YYYY-MM-DD'],
    [{ valid_to: '2026-11-31' }, 'valid_to: is not a calendar date'],
    [{ valid_to: '2025-12-31' }, 'valid_to: must not be before valid_from'],
    [{ last_updated: '2026-01-02T03:04:05+01:00' }, 'last_updated: must be'],
    [{ make: 'Fo\u0000rd' }, 'make: must not contain control characters'],
    [{ make: 'Fo\uFFFDrd' }, 'the row has characters that cannot be read (U+FFFD)'],
    [{ make: ' ', year: '', color: '' }, 'make: must', 'year: must', 'color: must'],
    [{ make: '"Ford"s' }, 'the row has text after'],
    [{ make: 'Fo"rd' }, 'the row has a quote inside'],
    [{ make: 'Ford,Ka' }, 'the row has too many columns: 12 where'],
    [{ insurer: '"Acme\r\nMutual"' }, 'insurer: must not contain control characters'],
  ];

  it('rejects each bad row with every issue, and loads the rest', async () => {
    const rows = badRows.map(([cells], nth) => ({ registration: `BAD${nth}`, ...cells }));
    const { exitCode, path } = await loadRows(...rows, { registration: 'REST' });
    const rejected = badRows.map(([, ...reasons], nth) => ({
      line: nth + 2,
      reasons: containing(reasons),
      row: vehicleRow(rows[nth]),
    }));
    expect([exitCode, await rejectedLines(path)]).toEqual([1, rejected]);
    expect(await find('REST')).toBeDefined();
  });

  it.each<[string, number, string]>([
    ['to the end of the file', 2, vehicleRow({ make: '"Ford' })],
    ['until a later row opens one', 2, `${vehicleRow({ make: '"Ford' })}\n${vehicleRow({ make: '"Seat, ""Ibiza""' })}`],
    ['after a cell of several lines', 4, vehicleRow({ make: '"Ford\n\nKa"', model: '"Fiesta' })],
    ['by a stray quote', 2, `${vehicleRow({ make: '"Ford' })}\n${vehicleRow({ make: '19" wheels' })}`],
    ['within a megabyte', 2, `${vehicleRow({ make: '"Ford' })}\n${'x'.repeat(1_000_000)}`],
  ])('loads nothing when a quote is not closed: %s', async (_case, line, rows) => {
    const text = `${VEHICLE_HEADER}\n${rows}\n${vehicleRow({ registration: 'QUOTE' })}\n`;
    const sentence = `the quote that opens a field on line ${line} is not closed as it should be; nothing was changed`;
    expect((await load('vehicles', 'v.csv', text)).stderr).toContain(`error: ${sentence}`);
    expect(await find('QUOTE')).toBeUndefined();
  });
});

describe('A vehicle of several rows', () => {
  /** Vehicle and cells of each row, and its reason. */
  const rejectedRows: (readonly [string, VehicleCells, string])[] = [
    ['BAD', {}, 'rejected with line 3, which is the same vehicle'],
    ['BAD', { policy_number: 'P-2', year: 'x' }, 'year: must be'],
    ['COLUMNS', {}, 'rejected with line 5'],
    ['COLUMNS', { make: 'Ford,' }, 'too many columns'],
    ['DIFFERENT', {}, 'rejected with line 7'],
    ['DIFFERENT', { policy_number: 'P-2', make: 'Seat', color: 'Blue' }, 'make: is not the same as on line 6'],
    ['SAME', {}, 'rejected with line 9'],
    ['SAME', {}, 'policy_number: is the same as on line 8'],
    ...Array.from(
      { length: 20 },
      (_, nth) => ['MANY', { policy_number: `P-${nth}` }, 'rejected with line 30'] as const,
    ),
    ['MANY', { policy_number: 'P-20' }, 'at most 20'],
  ];

  it('is rejected whole when one row is, each with its reason', async () => {
    const { path } = await loadRows(...rejectedRows.map(([registration, cells]) => ({ registration, ...cells })));
    const rejected = rejectedRows.map(([, , reason], nth) => [nth + 2, expect.stringContaining(reason)]);
    expect((await rejectedLines(path)).map(({ line, reasons }) => [line, reasons.join()])).toEqual(rejected);
  });

  it('is rejected whole when it has over 1,000 rows, even if most of them have no policy', async () => {
    const blank = Array.from({ length: 1_000 }, () => ({ registration: 'LONG', ...NO_POLICY }));
    const rejected = await rejectedLines((await loadRows(...blank, { registration: 'LONG' })).path);
    expect(rejected).toHaveLength(1_001);
    expect(rejected[1_000]).toMatchObject({ line: 1_002, reasons: ['a vehicle has at most 1,000 rows'] });
    expect(await find('LONG')).toBeUndefined();
  });

  it('is stored whole, with its policies in the order of the file, or not at all, wherever its rows are', async () => {
    await loadRows({ registration: 'ANY0', policy_number: 'OLD' });
    // Several pages of staged rows; one vehicle in ten has a bad row.
    const rows = [0, 1, 2].flatMap((policy) =>
      Array.from({ length: 400 }, (_, nth) => ({
        ...{ registration: `ANY${nth}`, policy_number: `P-${policy}` },
        ...(policy === 2 && nth % 10 === 0 && { year: 'x' }),
      })),
    );
    const { path } = await loadRows(...rows);
    const own = (await stored()).filter(({ registration }) => registration.startsWith('ANY'));
    const policies = Map.groupBy(own, (record) => record.policies.map(({ number }) => number).join());
    expect([policies.get('OLD')?.length, policies.get('P-0,P-1,P-2')?.length, own.length]).toEqual([1, 360, 361]);
    expect(await rejectedLines(path)).toHaveLength(120);
  });

  it('was last updated at the latest moment of its rows', async () => {
    const [later, latest] = ['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z'];
    const rows = [later, latest, ''].map((last_updated, nth) => ({ policy_number: `P-${nth}`, last_updated }));
    await loadRows(...rows.map((cells) => ({ registration: 'LATEST', ...cells })));
    expect((await find('LATEST'))?.lastUpdated).toBe('2026-03-01T00:00:00.000Z');
  });
});

describe('import vehicles of NDJSON', () => {
  const loadLines = (...lines: string[]) => load('vehicles', 'v.ndjson', `\uFEFF${lines.join('\r\n')}`);

  it('stores the fields of the line, which may have no policies and an empty model', async () => {
    const few = { registration: 'FEW', policies: [], vehicle: { ...details, model: '' }, lastUpdated };
    await loadLines(vehicleLine({ policies: [policy] }), vehicleLine(few));
    expect(await find('AB12CDE')).toEqual({
      registration: 'AB12CDE',
      vehicle: details,
      policies: [policy],
      lastUpdated,
    });
    expect(await find('FEW')).toEqual(few);
  });

  /** The fields of a line, and its reasons. */
  const badLines: (readonly [Record<string, unknown>, ...string[]])[] = [
    [{ vehicle: { ...details, model: undefined } }, 'vehicle.model: is missing'],
    [{ colour: 'Red', vehicle: { ...details, wheels: 4 } }, 'colour: is not a field', 'vehicle.wheels: is not'],
    [{ policies: undefined }, 'policies: is missing'],
    [{ vehicle: undefined }, 'vehicle: is missing', 'make: is', 'model: is', 'year: must', 'color: is'],
    [{ registration: 12, policies: {} }, 'registration: must be a string', 'policies: must be an'],
    [{ vehicle: { ...details, year: '2019' } }, 'vehicle.year: must be'],
    [{ vehicle: { ...details, make: '\ud800' } }, 'vehicle.make: must be well-formed'],
    [{ vehicle: { ...details, color: 'R\u0085d' } }, 'vehicle.color: must not contain control'],
    [{ policies: [{ ...policy, validTo: '2025-01-01' }] }, 'must not be before'],
    [{ policies: [policy, policy] }, 'policies[1].number: is the same as policies[0]'],
    [{ policies: Array(21).fill(policy) }, 'policies: must have at most 20 entries'],
    [{ lastUpdated: 'yesterday' }, 'lastUpdated: must be a UTC timestamp'],
    [{ lastUpdated: 7 }, 'lastUpdated: must be a string'],
    [{ policies: [{ ...policy, validTo: 7 }] }, 'policies[0].validTo: must be a string'],
    [JSON.parse('{"__proto__": {"registration": "X"}}'), '__proto__: is not a field'],
  ];

  it('rejects each bad line with every issue', async () => {
    const lines = badLines.map(([fields], nth) => vehicleLine({ registration: `BAD${nth}`, ...fields }));
    const rejected = badLines.map(([, ...reasons], nth) => ({
      line: nth + 1,
      reasons: containing(reasons),
      row: JSON.parse(lines[nth] ?? ''),
    }));
    expect(await rejectedLines((await loadLines(...lines)).path)).toEqual(rejected);
  });

  it('rejects lines that are no JSON object, too long or of a vehicle again, skips blank ones and loads the rest', async () => {
    const long = vehicleLine({ colour: 'x'.repeat(1_100_000) });
    const [rest, again] = ['RE ST', 're-st'].map((registration) => vehicleLine({ registration, make: undefined }));
    const { path, stdout } = await loadLines('{"registration":', '', '[1]', long, rest ?? '', again ?? '');
    expect(await rejectedLines(path)).toMatchObject([
      { line: 1, reasons: ['the line is not JSON'], row: '{"registration":' },
      { line: 3, reasons: ['the line is not a JSON object'], row: [1] },
      { line: 4, reasons: containing(['longer than']) },
      { line: 6, reasons: containing(['on line 5']) },
    ]);
    expect(stdout).toMatch(/\b5 +1 +4 /);
    expect(await find('REST')).toBeDefined();
  });
});
