/** Bulk requests of 1,000 registrations beside bare concurrent BatchGetItem requests for the same keys. */
import { preparePacedEngine } from '../test/support/prepared-engine.ts';
import { bulkEvent } from './events.ts';
import { inTurns, latencies, withFunctions } from './functions.ts';
import { generatedCompliance, generatedRegistration, loadGenerated } from './generated-vehicles.ts';
import { atMost, percentile, showProgress, table, targetTable } from './report.ts';

const REGISTRATIONS = 1_000;
const MAX_RATIO = 1.25;
const LATENCY_MS = 5;
const ENDPOINTS = ['bulk-insurance', 'bulk-compliance'] as const;

const METHOD = [
  'The deployed bundles with 1,000 different known registrations on the premium plan: key, counter, reads, rules, response. Beside',
  'them a function that sends ten concurrent BatchGetItem requests (for compliance twenty) through the same document client and',
  'nothing else. Fresh processes, warm, in turns; once on the embedded engine, once with recorded responses',
  `${LATENCY_MS} ms after each request.`,
].join('\n');

interface Measured {
  readonly name: string;
  readonly ours: readonly number[];
  readonly bare: readonly number[];
}

const measure = (): Promise<readonly string[]> =>
  withFunctions(async ({ deployed, peer, start }) => {
    const engine = await preparePacedEngine();
    const { keys, usage, vehicles, compliance } = engine.names;
    const databases = [
      {
        name: 'embedded engine',
        pace: { delayMs: 0, repeated: [] },
        rounds: { warmUp: 5, blocks: 16, invocations: 5 },
      },
      {
        name: 'recorded responses',
        pace: { delayMs: LATENCY_MS, repeated: [keys, usage, vehicles, compliance] },
        rounds: { warmUp: 4, blocks: 20, invocations: 15 },
      },
    ];
    await loadGenerated(engine.db, vehicles, REGISTRATIONS);
    await loadGenerated(engine.db, compliance, REGISTRATIONS, generatedCompliance);
    const registrations = Array.from({ length: REGISTRATIONS }, (_, n) => generatedRegistration(n));
    const bundles = await deployed();
    const bare = await peer('bare-batch-gets');
    const measured: Measured[] = [];
    try {
      for (const endpoint of ENDPOINTS) {
        const event = bulkEvent(endpoint, engine.key, registrations);
        const processes = [await start(bundles[endpoint]), await start(bare)];
        for (const [index, { name, pace, rounds }] of databases.entries()) {
          showProgress(index, databases.length, `${endpoint}, ${name}`);
          await engine.setPace(pace);
          const contestants = processes.map((process) => ({ process, event }));
          const [ours = [], theirs = []] = (await inTurns(contestants, rounds)).map(latencies);
          measured.push({ name: `${endpoint}, ${name}`, ours, bare: theirs });
        }
        for (const process of processes) await process.end();
      }
      const p50 = (times: readonly number[]) => percentile(times, 0.5);
      const p99 = (times: readonly number[]) => percentile(times, 0.99);
      return [
        targetTable(
          ...measured.map(({ name, ours, bare }) =>
            atMost(`p50, ratio to bare BatchGetItem requests: ${name}`, MAX_RATIO, p50(ours) / p50(bare)),
          ),
        ),
        METHOD,
        table(
          ['endpoint and database', 'p50 ms', 'bare p50 ms', 'ratio', 'p99 ms', 'bare p99 ms', 'ratio'],
          measured.map(({ name, ours, bare }) => [
            name,
            ...[p50, p99].flatMap((at) => [at(ours).toFixed(1), at(bare).toFixed(1), (at(ours) / at(bare)).toFixed(2)]),
          ]),
        ),
      ];
    } finally {
      engine.close();
    }
  });
export default measure;
