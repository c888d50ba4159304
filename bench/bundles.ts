/**
 * The size of every function's bundle, and the cold start of a look-up (import and first answer in a fresh process) as a
 * ratio to a raw single-file SDK handler with the same database calls. Logs and metrics are on. Reports; asserts nothing.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readableTable } from '../lib/admin/readable-table.ts';
import { bundleFunctions } from '../lib/cloud/bundles.ts';
import { type ColdStart, coldStarts } from './cold-start/cold-starts.ts';
import { bundlePeers } from './cold-start/peers.ts';
import { prepareEngine } from './prepared-engine.ts';

const ROUNDS = 25;

const kilobytes = (bytes: number) => (bytes / 1_000).toFixed(1);
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const medianOf = (starts: readonly ColdStart[], read: (start: ColdStart) => number) => median(starts.map(read));
const totalMs = ({ importMs, firstAnswerMs }: ColdStart) => importMs + firstAnswerMs;

const sizes = async (files: readonly (readonly [string, string])[]) =>
  Promise.all(
    files.map(async ([name, file]) => {
      const source = await readFile(file);
      return [name, kilobytes(source.length), kilobytes(gzipSync(source).length)];
    }),
  );

const folder = await mkdtemp(join(tmpdir(), 'bundles-'));
const bundles = await bundleFunctions(folder);
const functions = Object.entries(bundles).map(([id, bundle]) => [id, join(bundle, 'index.js')] as const);
process.stdout.write(readableTable(['function', 'kB', 'kB gzipped'], await sizes(functions)));

const { key, keyId, names, close } = await prepareEngine();
const peers = await bundlePeers(folder);
const starts = await coldStarts(peers, ROUNDS, key, {
  ...process.env,
  KEYS_TABLE: names.keys,
  USAGE_TABLE: names.usage,
  VEHICLES_TABLE: names.vehicles,
  KEY_ID: keyId,
  POWERTOOLS_LOG_LEVEL: 'INFO',
  POWERTOOLS_METRICS_NAMESPACE: 'bench',
});
const raw = medianOf(starts.get(peers[0]) ?? [], totalMs);
const rows = [...starts].map(([{ name }, measured]) => [
  name,
  medianOf(measured, ({ importMs }) => importMs).toFixed(1),
  medianOf(measured, ({ firstAnswerMs }) => firstAnswerMs).toFixed(1),
  medianOf(measured, totalMs).toFixed(1),
  (medianOf(measured, totalMs) / raw).toFixed(2),
  medianOf(measured, ({ peakMegabytes }) => peakMegabytes).toFixed(0),
]);
process.stdout.write(`\nCold start, median of ${ROUNDS} fresh processes each, in turns\n`);
process.stdout.write(
  readableTable(['look-up', 'import ms', 'first answer ms', 'both ms', 'ratio', 'peak MB'], rows, 'right'),
);
close();
await rm(folder, { recursive: true });
