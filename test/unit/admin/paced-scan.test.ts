import { describe, expect, it } from '@jest/globals';
import { readPace } from '../../../admin/records/paced-scan.ts';
import { forOperation } from '../../support/fault-choosers.ts';
import { manyVehicles } from '../../support/import-files.ts';
import { aVehicle } from '../../support/records.ts';
import { useAdmin } from '../../support/use-admin.ts';

const admin = useAdmin();

/** Reads of a pace on a clock of its own, as moments in milliseconds and units. */
const paced = (unitsPerSecond: number) => {
  let moment = 0;
  const wait = async (milliseconds: number) => {
    moment += milliseconds;
  };
  const pace = readPace(unitsPerSecond, { now: () => moment, wait });
  const reads: { readonly at: number; readonly units: number }[] = [];
  const read = async (consumed: (expected: number) => number) => {
    const expected = pace.pageUnits();
    await pace.take(expected);
    reads.push({ at: moment, units: consumed(expected) });
    pace.correct(consumed(expected) - expected);
  };
  const mostInOneSecond = () =>
    Math.max(
      ...reads.map(({ at }) =>
        reads.filter((one) => one.at >= at && one.at < at + 1_000).reduce((sum, { units }) => sum + units, 0),
      ),
    );
  return { pace, reads, read, mostInOneSecond };
};

describe('The pace of a scan', () => {
  it.each([10, 150, 500, 3_000])(
    'is at most %i units a second, a page more in some seconds, and is reached',
    async (limit) => {
      const { reads, read, mostInOneSecond } = paced(limit);
      for (let page = 0; page < 100; page += 1) await read((expected) => expected);
      expect(mostInOneSecond()).toBeLessThanOrEqual(limit * 1.1);
      const last = reads.at(-1)?.at ?? 0;
      expect(reads.reduce((sum, { units }) => sum + units, 0)).toBeGreaterThan((limit * last * 0.95) / 1_000);
    },
  );

  it('waits longer after a page that took more than expected', async () => {
    const { reads, read } = paced(100);
    await read((expected) => expected * 10);
    await read((expected) => expected);
    expect(reads.map(({ at }) => at)).toEqual([0, 1_000]);
  });

  it('is halved when the table throttles, and recovers', async () => {
    const { pace, reads, read } = paced(100);
    pace.slowDown();
    expect(pace.pageUnits()).toBe(5);
    for (let page = 0; page < 100; page += 1) await read((expected) => expected);
    expect(pace.pageUnits()).toBe(10);
    expect(reads).toHaveLength(100);
  });
});

const scans = () => admin.proxy().calls.map(({ operation, body }) => [operation, JSON.parse(body).Limit]);

it.each([
  ['an export', 'export', 'v.ndjson'],
  ['a complete import', 'import', 'new.csv', '--complete'],
])(
  '--read-units limits the pages of the scan of %s, which still reads everything although the table throttles',
  async (_what, verb, name, ...options) => {
    await admin.file('new.csv', manyVehicles('V', 30));
    await admin.store('vehicles', ...Array.from({ length: 30 }, (_, nth) => aVehicle(`V${nth}`)));
    const args = [verb, 'vehicles', admin.pathOf(name), ...options];
    // More often than the SDK tries.
    const faults = [undefined, ...Array(4).fill('throttle')];
    admin.proxy().inject(forOperation('Scan', () => faults.shift()));
    const { exitCode, stdout } = await admin.countedRun([...args, '--read-units', '200']);
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/30/) });
    const [[, first] = [], ...later] = scans();
    expect(first).toBe(20);
    expect(later.length).toBeGreaterThan(0);
    admin.proxy().reset();
    await admin.countedRun(args);
    expect(new Set(scans().map(([, limit]) => limit))).toEqual(new Set([undefined]));
  },
);
