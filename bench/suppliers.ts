/**
 * Suppliers who load complete files of vehicles that overlap by half, one after the other: time, memory and units of
 * the first night, of the same files again, and of a night with 1 % changed. Takes a quarter of an hour.
 */
import { join } from 'node:path';
import { writeVehiclesFile } from './generated-vehicles.ts';
import { importWith, runImport } from './import.ts';
import { meteredClient } from './metered-client.ts';
import { prepareEngine } from './prepared-engine.ts';
import { grouped, type Measurement, table, temporaryFolder } from './report.ts';

const SUPPLIERS = 10;
const ROWS = 100_000;
/** Of which share of the rows the last night's files differ: 1 %. */
const ONE_IN = 100;
/** The sample vehicles of the engine are of the supplier without a name, and stay. */
const options = (supplier: number) => ['--supplier', `supplier-${supplier}`, '--complete'];

const measure: Measurement = async () => {
  const path = join(temporaryFolder(), 'vehicles.csv');
  const writeFile = (supplier: number, changed?: number): Promise<void> => {
    const from = (supplier * ROWS) / 2;
    return writeVehiclesFile(path, from + ROWS, from, changed);
  };
  const { endpoint, close } = await prepareEngine();
  const { client, costOf } = meteredClient(endpoint);
  const nights: (readonly string[])[] = [];
  for (const [night, changed] of [
    ['the first', undefined],
    ['the same files again', undefined],
    ['1 % changed', ONE_IN],
  ] as const) {
    const sum = { seconds: 0, requests: 0, readUnits: 0, writeUnits: 0 };
    for (let supplier = 0; supplier < SUPPLIERS; supplier += 1) {
      await writeFile(supplier, changed);
      const started = performance.now();
      const cost = await costOf(() => importWith(client, path, ...options(supplier)));
      sum.seconds += (performance.now() - started) / 1_000;
      for (const figure of ['requests', 'readUnits', 'writeUnits'] as const) sum[figure] += cost[figure];
    }
    nights.push([night, ...Object.values(sum).map((figure) => grouped(Math.round(figure)))]);
  }
  client.destroy();
  // The last file once more as a process of its own, whose memory is read.
  await writeFile(SUPPLIERS - 1);
  const { peakMegabytes } = await runImport(endpoint, path, ...options(SUPPLIERS - 1));
  await close();
  return [
    table(['night, all suppliers', 'seconds', 'requests', 'read units', 'write units'], nights),
    `One import took at most ${Math.round(peakMegabytes)} MB.`,
  ];
};
export default measure;
