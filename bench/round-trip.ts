/** An insurance lookup beside one that sends the same three database requests one after the other. */
import { lookupEvent } from './events.ts';
import { inTurns, latencies, withFunctions } from './functions.ts';
import { preparePacedEngine } from './paced-engine.ts';
import { atMost, percentile, showProgress, table, targetTable } from './report.ts';

/** Injected per database request; the targets are for one of them. */
const LATENCIES_MS = [0, 1, 5, 20];
const TARGET_LATENCY_MS = 5;
const MAX_RATIOS = [
  { name: 'p50', share: 0.5, limit: 0.58 },
  { name: 'p99', share: 0.99, limit: 0.7 },
] as const;
const ROUNDS = { warmUp: 4, blocks: 16, invocations: 25 };

const METHOD = [
  'The deployed bundle, logs and metrics on, and a bare handler that reads the key, increments the counter and reads the vehicle',
  'one after the other. Fresh processes, warm, in turns of 25. The database sends recorded responses at exactly the injected',
  'latency after a request has arrived.',
].join('\n');

const measure = (): Promise<readonly string[]> =>
  withFunctions(async ({ deployed, peer, start }) => {
    const engine = await preparePacedEngine();
    try {
      const files = [(await deployed())['vehicle-insurance'], await peer('sequential-lookup')];
      const processes = await Promise.all(files.map((file) => start(file)));
      const measured = [];
      for (const delayMs of LATENCIES_MS) {
        showProgress(measured.length, LATENCIES_MS.length, `${delayMs} ms injected`);
        await engine.setDelay(delayMs);
        const [ours = [], peers = []] = (await inTurns(processes, lookupEvent(engine.key), ROUNDS)).map(latencies);
        const figures = MAX_RATIOS.map(({ share }) => {
          const [own, sequential] = [percentile(ours, share), percentile(peers, share)];
          return [own, sequential, own / sequential] as const;
        });
        measured.push({ delayMs, figures });
      }
      for (const process of processes) await process.end();
      const target = measured.find(({ delayMs }) => delayMs === TARGET_LATENCY_MS);
      return [
        targetTable(
          ...MAX_RATIOS.map(({ name, limit }, index) =>
            atMost(
              `${name} with ${TARGET_LATENCY_MS} ms per database request, ratio to the sequential handler`,
              limit,
              target?.figures[index]?.[2] ?? Number.NaN,
            ),
          ),
        ),
        METHOD,
        table(
          ['ms injected', 'p50 ms', 'sequential p50 ms', 'ratio', 'p99 ms', 'sequential p99 ms', 'ratio'],
          measured.map(({ delayMs, figures }) => [delayMs, ...figures.flat().map((value) => value.toFixed(2))]),
        ),
      ];
    } finally {
      engine.close();
    }
  });
export default measure;
