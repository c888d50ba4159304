import { utimes } from 'node:fs/promises';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import type { ComplianceRecord } from '../../../core/compliance/record.ts';
import { aCompliance } from '../../support/records.ts';
import { CONTINUES, commandLine, NOW } from '../command-line.ts';
import {
  COMPLIANCE_HEADER,
  complianceLine,
  manyVehicles,
  vehicleLine,
  vehicleRow,
  vehiclesCsv,
} from '../import-files.ts';

const { run, file, load, stored, rejectedLines, engine, interruptedRun } = commandLine();

const put = (Item: object) => engine().client.send(new PutCommand({ TableName: engine().names.compliance, Item }));

describe('The last update of an imported record', () => {
  const TIME = '2026-05-01T08:00:00Z';
  const FUTURE = '2027-01-01T00:00:00Z';
  const C1 = 'C1,,yes,,,yes,0';

  it.each([
    ['its column', 'c.csv', `${COMPLIANCE_HEADER},last_updated\n${C1},${TIME}`, FUTURE, TIME],
    ['its field', 'c.ndjson', complianceLine({ lastUpdated: TIME }), FUTURE, TIME],
    ['a CSV without the column', 'c.csv', `${COMPLIANCE_HEADER}\n${C1}`, TIME, TIME],
    ['a blank cell', 'c.csv', `${COMPLIANCE_HEADER},last_updated\n${C1},`, TIME, TIME],
    ['NDJSON without the field', 'c.ndjson', complianceLine(), TIME, TIME],
    ['a file of the future', 'c.ndjson', complianceLine(), FUTURE, NOW.toISOString()],
    ['null', 'c.ndjson', complianceLine({ lastUpdated: null }), TIME, undefined],
    ['a vehicles CSV', 'v.csv', vehiclesCsv(vehicleRow({ registration: 'C1', last_updated: '' })), TIME, TIME],
    ['a line', 'v.ndjson', vehicleLine({ registration: 'C1', lastUpdated: undefined }), TIME, TIME],
  ])(
    'is that of the record, else of the file, at most that of the import: %s',
    async (_of, name, text, time, expected) => {
      const kind = name.startsWith('v') ? 'vehicles' : 'compliance';
      const path = await file(name, text);
      await utimes(path, NOW, new Date(time));
      await run(['import', kind, path]);
      const [record] = await stored<{ lastUpdated?: string }>(kind);
      expect(record?.lastUpdated).toBe(expected && new Date(expected).toISOString());
    },
  );

  it('is at most 24 hours in the future', async () => {
    const ahead = ['2026-11-22T12:00:30.000Z', '2026-11-22T12:00:30.001Z'];
    const lines = ahead.map((lastUpdated, nth) => complianceLine({ registration: `AHEAD${nth}`, lastUpdated }));
    const { path } = await load('compliance', 'c.ndjson', lines.join('\n'));
    const reasons = ['lastUpdated: must not be more than 24 hours in the future'];
    expect(await rejectedLines(path)).toMatchObject([{ line: 2, reasons }]);
  });
});

describe('import --if-newer', () => {
  const OLDER = '2026-05-01T08:00:00.000Z';
  const NEWER = '2026-05-01T08:00:00.001Z';

  /** The last update of the stored record, undefined for none, and of the file; whether the file's record is stored. */
  const records: (readonly [string | null | undefined, string | null, boolean])[] = [
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
  ];

  it('replaces older records and those without an age by records that have one, and no others', async () => {
    const nameOf = (nth: number) => `NEW${10 + nth}`;
    for (const [nth, [lastUpdated]] of records.entries()) {
      const item = { ...aCompliance(nameOf(nth)), ...(lastUpdated !== null && { lastUpdated }) };
      if (lastUpdated !== undefined) await put(item);
    }
    const lines = records.map(([, lastUpdated], nth) =>
      complianceLine({ registration: nameOf(nth), lastUpdated, outstandingFines: 7 }),
    );
    const path = await file('c.ndjson', lines.join('\n'));
    const counts = /^rows read +compliance loaded +kept +rows rejected.*\n +11 +5 +6 +0 /;
    expect((await run(['import', 'compliance', path, '--if-newer'])).stdout).toMatch(counts);
    const own = (await stored<ComplianceRecord>('compliance')).filter(({ registration }) => /^NEW/.test(registration));
    const isReplaced = own.map(({ outstandingFines }) => outstandingFines === 7);
    expect(records.map(([before, given], nth) => [before, given, isReplaced[nth]])).toEqual(records);
  });

  it('is continued with the same option only', async () => {
    const path = await file('v.csv', manyVehicles('NEWER'));
    await interruptedRun(['import', 'vehicles', path, '--if-newer'], 100, 'PutItem');
    const without = await run(['import', 'vehicles', path]);
    expect(without.stderr).toMatch(/v\.csv\.\w+\.sqlite is left of a run with another table or other options/);
    expect((await run(['import', 'vehicles', path, '--if-newer'])).stderr).toContain(CONTINUES);
  });
});
