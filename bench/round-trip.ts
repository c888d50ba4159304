/** An insurance lookup beside one that sends the same three database requests one after the other. */
import { preparePacedEngine } from '../test/support/prepared-engine.ts';
import { lookupEvent } from './events.ts';
import { inTurns, latencies, withFunctions } from './functions.ts';
import { atMost, percentile, showProgress, table, targetTable } from './report.ts';

/** Injected per database request; the targets are for one of them. */
const LATENCIES_MS = [0, 1, 5, 10, 20];
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
    const { keys, usage, vehicles } = engine.names;
    const event = lookupEvent(engine.key);
    const processes = [
      await start((await deployed())['vehicle-insurance']),
      await start(await peer('sequential-lookup')),
    ];
    try {
      const measured = new Map<number, { readonly ours: readonly number[]; readonly peers: readonly number[] }>();
      for (const delayMs of LATENCIES_MS) {
        showProgress(measured.size, LATENCIES_MS.length, `${delayMs} ms injected`);
        await engine.setPace({ delayMs, repeated: [keys, usage, vehicles] });
        const contestants = processes.map((process) => ({ process, event }));
        const [ours = [], peers = []] = (await inTurns(contestants, ROUNDS)).map(latencies);
        measured.set(delayMs, { ours, peers });
      }
      const figures = (delayMs: number, share: number) => {
        const { ours = [], peers = [] } = measured.get(delayMs) ?? {};
        const [own, sequential] = [percentile(ours, share), percentile(peers, share)];
        return { own, sequential, ratio: own / sequential };
      };
      return [
        targetTable(
          ...MAX_RATIOS.map(({ name, share, limit }) =>
            atMost(
              `${name} with ${TARGET_LATENCY_MS} ms per database request, ratio to the sequential handler`,
              limit,
              figures(TARGET_LATENCY_MS, share).ratio,
            ),
          ),
        ),
        METHOD,
        table(
          ['ms injected', 'p50 ms', 'sequential p50 ms', 'ratio', 'p99 ms', 'sequential p99 ms', 'ratio'],
          LATENCIES_MS.map((delayMs) => [
            delayMs,
            ...MAX_RATIOS.flatMap(({ share }) => {
              const { own, sequential, ratio } = figures(delayMs, share);
              return [own, sequential, ratio].map((value) => value.toFixed(2));
            }),
          ]),
        ),
      ];
    } finally {
      for (const process of processes) await process.end();
      engine.close();
    }
  });
export default measure;
