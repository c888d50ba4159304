import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import type { ComplianceRecord } from '../../../core/compliance/record.ts';
import { aCompliance, aVehicle } from '../../support/records.ts';
import { CONTINUES, commandLine, failure } from '../command-line.ts';
import { manyVehicles, vehicleLine, vehicleRow, vehiclesCsv } from '../import-files.ts';
import { storedRecords } from '../stored-records.ts';

const { run, file, engine, countedRun, interruptedRun, proxy } = commandLine();

const OLDER = '2026-05-01T08:00:00.000Z';
const NEWER = '2026-05-01T08:00:00.001Z';

const countsOf = ({ stdout }: { stdout: string }) =>
  JSON.parse(stdout) as { loaded: number; kept: number; skipped: number };
const put = (table: 'vehicles' | 'compliance', Item: Record<string, unknown>) =>
  engine().client.send(new PutCommand({ TableName: engine().names[table], Item }));

describe('import --if-newer', () => {
  /** The last update of the stored record, undefined for none, and of the file; whether the file's record is stored. */
  it.each<[string | null | undefined, string | null, boolean]>([
    [OLDER, NEWER, true],
    [OLDER, OLDER, false],
    [NEWER, OLDER, false],
    [OLDER, '2026-05-01T08:00:00.0015+00:00', true],
    [NEWER, '2026-05-01T08:00:00Z', false],
    [OLDER, '2026-05-01T08:00:00Z', false],
    [null, OLDER, true],
    [null, null, false],
    [OLDER, null, false],
    [undefined, OLDER, true],
    [undefined, null, true],
  ])('of a compliance record: stored %j, in the file %j, replaced: %j', async (stored, inFile, isStored) => {
    const registration = 'NEW1';
    if (stored !== undefined) {
      await put('compliance', { ...aCompliance(registration), ...(stored !== null && { lastUpdated: stored }) });
    }
    const record = { ...aCompliance(registration, { outstandingFines: 7 }), lastUpdated: inFile };
    const path = await file('c.ndjson', JSON.stringify(record));
    const result = await run(['import', 'compliance', path, '--if-newer', '--json']);
    expect([result.exitCode, countsOf(result)]).toMatchObject([
      0,
      { loaded: isStored ? 1 : 0, kept: isStored ? 0 : 1 },
    ]);
    const records = (await storedRecords(engine(), 'compliance')) as unknown as ComplianceRecord[];
    const [found] = records.filter((one) => one.registration === registration);
    expect(found?.outstandingFines).toBe(isStored ? 7 : 0);
    await run(['remove', 'compliance', '--registration', registration]);
  });

  it('keeps vehicles that are as new, replaces older ones and shows both counts', async () => {
    for (const registration of ['V1', 'V2', 'V3']) await put('vehicles', aVehicle(registration));
    const row = (registration: string, last_updated: string) => vehicleRow({ registration, make: 'New', last_updated });
    const path = await file(
      'v.csv',
      vehiclesCsv(
        row('V1', '2026-01-02T03:04:05Z'),
        row('V2', '2026-01-02T03:04:06Z'),
        row('V4', '2026-01-01T00:00:00Z'),
      ),
    );
    expect(await run(['import', 'vehicles', path, '--if-newer'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^rows read +vehicles loaded +kept +rows rejected.*\n +3 +2 +1 +0 /),
    });
    const makes = (await storedRecords(engine(), 'vehicles')).map(({ vehicle }) => (vehicle as { make: string }).make);
    expect(makes).toEqual(['Škoda', 'New', 'Škoda', 'New']);
  });

  it('takes the modification time of the file for a record without a last update', async () => {
    await put('vehicles', aVehicle('V5'));
    const path = await file('v.ndjson', vehicleLine({ registration: 'V5', lastUpdated: undefined }));
    expect(countsOf(await run(['import', 'vehicles', path, '--if-newer', '--json']))).toMatchObject({
      loaded: 1,
      kept: 0,
    });
    expect(countsOf(await run(['import', 'vehicles', path, '--if-newer', '--json']))).toMatchObject({
      loaded: 0,
      kept: 1,
    });
  });

  it('leaves the newest record of each vehicle when files are loaded at the same time', async () => {
    const times = Array.from({ length: 5 }, (_, nth) => `2026-06-0${nth + 1}T00:00:00.000Z`);
    const vehicles = Array.from({ length: 200 }, (_, index) => `RACE${index}`);
    const paths = await Promise.all(
      times.map((lastUpdated, nth) =>
        file(`v${nth}.ndjson`, vehicles.map((registration) => vehicleLine({ registration, lastUpdated })).join('\n')),
      ),
    );
    const results = await Promise.all(paths.map((path) => run(['import', 'vehicles', path, '--if-newer', '--json'])));
    expect(results.map(({ exitCode }) => exitCode)).toEqual(times.map(() => 0));
    const stored = (await storedRecords(engine(), 'vehicles')).filter(({ registration }) =>
      String(registration).startsWith('RACE'),
    );
    expect(stored).toHaveLength(vehicles.length);
    expect(new Set(stored.map(({ lastUpdated }) => lastUpdated))).toEqual(new Set([times.at(-1)]));
  });

  it('is continued with the same option only', async () => {
    const path = await file('v.csv', manyVehicles('NEWER', 1_000, 1));
    await interruptedRun(['import', 'vehicles', path, '--if-newer'], 600, 'PutItem');
    proxy().reset();
    const without = await countedRun(['import', 'vehicles', path]);
    expect(without.stderr).toMatch(/v\.csv\.\w+\.sqlite is left of a run with another table or other options/);
    expect(without).toMatchObject({ exitCode: 0, stdout: expect.not.stringContaining('skipped') });
    const continued = await countedRun(['import', 'vehicles', path, '--if-newer', '--json']);
    expect([continued.exitCode, countsOf(continued).skipped]).toEqual([0, expect.any(Number)]);
    expect(continued.stderr).toContain(CONTINUES);
  });

  it('is no option of import content', async () => {
    const path = await file('c.ndjson', '');
    expect(await run(['import', 'content', path, '--if-newer'])).toEqual(failure("unknown option '--if-newer'"));
  });
});
