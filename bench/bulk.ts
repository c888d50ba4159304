/** Bulk requests of 1,000 registrations beside bare concurrent BatchGetItem requests for the same keys. */
import { bulkEvent } from './events.ts';
import { inTurns, latencies, withFunctions } from './functions.ts';
import { generatedCompliance, generatedRegistration, loadGenerated } from './generated-vehicles.ts';
import { preparePacedEngine } from './paced-engine.ts';
import { atMost, percentile, showProgress, table, targetTable } from './report.ts';

const REGISTRATIONS = 1_000;
const MAX_RATIO = 1.25;
const DATABASES = [
  { database: 'embedded engine', delayMs: undefined, rounds: { warmUp: 5, blocks: 16, invocations: 5 } },
  { database: 'recorded responses', delayMs: 5, rounds: { warmUp: 4, blocks: 20, invocations: 15 } },
] as const;

const METHOD = [
  'The deployed bundles with 1,000 different known registrations on the premium plan: key, counter, reads, rules, response. Beside',
  'them a function that sends ten concurrent BatchGetItem requests (for compliance twenty) through the same document client and',
  'nothing else. Fresh processes, warm, in turns; once on the embedded engine, once with recorded responses',
  `${DATABASES[1].delayMs} ms after each request.`,
].join('\n');

const measure = (): Promise<readonly string[]> =>
  withFunctions(async ({ deployed, peer, start }) => {
    const engine = await preparePacedEngine();
    try {
      await loadGenerated(engine.db, engine.names.vehicles, REGISTRATIONS);
      await loadGenerated(engine.db, engine.names.compliance, REGISTRATIONS, generatedCompliance);
      const registrations = Array.from({ length: REGISTRATIONS }, (_, n) => generatedRegistration(n));
      const bundles = await deployed();
      const bare = await peer('bare-batch-gets');
      const measured = [];
      for (const endpoint of ['bulk-insurance', 'bulk-compliance'] as const) {
        const event = bulkEvent(endpoint, engine.key, registrations);
        const processes = [await start(bundles[endpoint]), await start(bare)];
        for (const { database, delayMs, rounds } of DATABASES) {
          const name = `${endpoint}, ${database}`;
          showProgress(measured.length, 2 * DATABASES.length, name);
          await engine.setDelay(delayMs);
          const [ours = [], theirs = []] = (await inTurns(processes, event, rounds)).map(latencies);
          const figures = [0.5, 0.99].map((share) => {
            const [own, other] = [percentile(ours, share), percentile(theirs, share)];
            return [own.toFixed(1), other.toFixed(1), (own / other).toFixed(2)];
          });
          measured.push({ name, figures });
        }
        for (const process of processes) await process.end();
      }
      return [
        targetTable(
          ...measured.map(({ name, figures }) =>
            atMost(`p50, ratio to bare BatchGetItem requests: ${name}`, MAX_RATIO, Number(figures[0]?.[2])),
          ),
        ),
        METHOD,
        table(
          ['endpoint and database', 'p50 ms', 'bare p50 ms', 'ratio', 'p99 ms', 'bare p99 ms', 'ratio'],
          measured.map(({ name, figures }) => [name, ...figures.flat()]),
        ),
      ];
    } finally {
      engine.close();
    }
  });
export default measure;
