import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { rowStaging, stagedRows } from '../../lib/admin/file-command/staged-rows.ts';
import { openStagingFile, removeStaging } from '../../lib/admin/file-command/staging-file.ts';
import { type Layout, readRows } from '../../lib/admin/files/read-rows.ts';
import { VEHICLE_COLUMNS } from '../../lib/admin/import/vehicles/csv-vehicle.ts';
import { vehicles } from '../../lib/admin/import/vehicles/import-vehicles.ts';

/** What staging a file came to. */
export interface Staged {
  readonly rows: number;
  readonly stageSeconds: number;
  readonly indexSeconds: number;
  readonly readSeconds: number;
  readonly peakMegabytes: number;
  /** Of the staging file with its log, at the largest. */
  readonly diskMegabytes: number;
}

const megabytesOf = (path: string): number =>
  ['', '-wal'].reduce((sum, ending) => sum + (statSync(path + ending, { throwIfNoEntry: false })?.size ?? 0), 0) / 1e6;

/**
 * Stages a vehicles CSV as `import vehicles` does, and reads the rows back in the order of their registrations; for a process
 * of its own (`forkCall`). @throws Error when the rows that come back are not those of the file, in order
 */
export const stageRows = async (path: string): Promise<Staged> => {
  const { size, mtime } = await stat(path);
  const staging = `${path}.0000000000000000.sqlite`;
  removeStaging(staging);
  const { db } = openStagingFile(staging, () => 'measured anew');
  const source = { path, format: 'csv', encoding: 'utf-8', bytes: size, changed: mtime.toISOString() } as const;
  const target = rowStaging(db);
  let layout: Layout = 'txt';
  let rows = 0;
  const started = performance.now();
  for await (const chunk of readRows(source, VEHICLE_COLUMNS, [])) {
    for (const row of chunk.rows) target.add(row, vehicles.keyOf(row) ?? '');
    rows += chunk.rows.length;
    layout = chunk.layout;
  }
  const read = performance.now();
  const state = target.end({ identity: { version: 0, file: [], created: undefined }, started: '', layout });
  const indexed = performance.now();
  const diskMegabytes = megabytesOf(staging);
  let back = 0;
  let previous = '';
  for (const groups of stagedRows(db, state).groups()) {
    for (const { key = '', rows: found } of groups) {
      if (key <= previous || found.length !== 1) throw new Error('the rows are not in order, each once');
      previous = key;
    }
    back += groups.length;
  }
  const ended = performance.now();
  if (back !== rows) throw new Error(`${rows} rows were staged, ${back} came back`);
  db.close();
  removeStaging(staging);
  return {
    rows,
    stageSeconds: (read - started) / 1_000,
    indexSeconds: (indexed - read) / 1_000,
    readSeconds: (ended - indexed) / 1_000,
    peakMegabytes: process.resourceUsage().maxRSS / 1_024,
    diskMegabytes,
  };
};
