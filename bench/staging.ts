/**
 * Staging of a vehicles CSV in SQLite: seconds, memory and disk, without a database. `STAGING_MILLIONS='1 10 35'` names other
 * sizes; 35 million rows take 4 GB for the file and twice as much beside it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forkCall } from '../test/support/fork.ts';
import { writeVehiclesFile } from './generated-vehicles.ts';
import type { Staged } from './peers/stage-rows.ts';
import { atMost, grouped, showProgress, table, targetTable } from './report.ts';

const MILLIONS = (process.env.STAGING_MILLIONS ?? '1 10').split(' ').map(Number);
const MAX_MEMORY_RATIO = 1.1;

const stage = async (rows: number): Promise<Staged> => {
  const folder = await mkdtemp(join(tmpdir(), 'staging-'));
  try {
    const file = join(folder, 'vehicles.csv');
    await writeVehiclesFile(file, rows);
    const module = new URL('./peers/stage-rows.ts', import.meta.url);
    const { result, stop } = await forkCall<Staged>(module, 'stageRows', [file]);
    await stop();
    return result;
  } finally {
    await rm(folder, { recursive: true });
  }
};

const measure = async (): Promise<readonly string[]> => {
  const results: Staged[] = [];
  for (const millions of MILLIONS) {
    showProgress(results.length, MILLIONS.length, 'sizes');
    results.push(await stage(millions * 1e6));
  }
  const [first, last] = [results[0], results.at(-1)];
  const growth = (last?.peakMegabytes ?? Number.NaN) / (first?.peakMegabytes ?? Number.NaN);
  const sizes = `${grouped(last?.rows ?? 0)} rows, ratio to that with ${grouped(first?.rows ?? 0)}`;
  return [
    targetTable(atMost(`Peak resident memory with ${sizes}`, MAX_MEMORY_RATIO, growth)),
    'Distinct registrations in no order, a policy each: read, indexed, and read back in the order of registrations, a process each.',
    table(
      ['rows', 'staging s', 'index s', 'reading back s', 'peak memory MB', 'disk MB'],
      results.map(({ rows, stageSeconds, indexSeconds, readSeconds, peakMegabytes, diskMegabytes }) => [
        grouped(rows),
        ...[stageSeconds, indexSeconds, readSeconds].map((seconds) => seconds.toFixed(1)),
        ...[peakMegabytes, diskMegabytes].map(grouped),
      ]),
    ),
  ];
};
export default measure;
