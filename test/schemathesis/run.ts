/** Schemathesis against the service on this machine: `npm run test:contract`. Needs Python 3.10 with venv. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EndpointDocument } from '../../functions/endpoints/document.ts';
import { endpoints } from '../../functions/endpoints/table.ts';
import { pathInDocument } from '../../lib/openapi/document.ts';
import { documents } from '../../lib/openapi/documents.ts';
import { operationIdOf } from '../../lib/openapi/responses.ts';
import { pythonTools } from '../support/python-tools.ts';
import { startServiceUnderTest } from '../support/service-under-test.ts';
import { casesPerOperation } from './cases.ts';

const here = (name: string) => join(import.meta.dirname, name);
const DOCUMENT = here('../../docs/openapi.json');
const EXAMPLES_PER_OPERATION = 200;
const SEED = 20_261_121;
/** What a shell reports for a process that a signal ended. */
const ENDED_BY_SIGNAL = 130;

/** In a run of everything, requests for one item are soon out of ids that other answers gave: each is also run alone. */
const ITEM_OPERATIONS = (['read-content', 'update-content', 'delete-content'] as const).map(operationIdOf);
const RUNS = [[], ...ITEM_OPERATIONS.map((id) => ['--include-operation-id', id, '--phases', 'fuzzing'])];

/** How much faster the gateway's clock runs, so that thousands of requests stay inside the premium plan. */
const CLOCK_RATE = 20;

const startService = async () => {
  const answers = new Map<number, number>();
  const onResponse = ({ status }: { status: number }) => answers.set(status, (answers.get(status) ?? 0) + 1);
  const { origin, addKey, stop } = await startServiceUnderTest({ clockRate: CLOCK_RATE, onResponse });
  return { origin, key: await addKey('premium'), answers, stop };
};

type Service = Awaited<ReturnType<typeof startService>>;

const schemathesis = async ({ origin, key }: Service, scratch: string, extra: readonly string[]): Promise<number> => {
  const target = [DOCUMENT, '--url', `${origin}/v1`, '--header', `X-API-Key: ${key}`];
  const extent = ['--checks', 'all', '--max-examples', String(EXAMPLES_PER_OPERATION), '--seed', String(SEED)];
  const report = ['--continue-on-failure', '--report', 'ndjson', '--report-dir', scratch];
  const child = spawn(
    join(pythonTools(here('requirements.txt'), 'schemathesis'), 'schemathesis'),
    ['--config-file', here('schemathesis.toml'), 'run', ...target, ...extent, ...report, ...extra],
    {
      cwd: scratch,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, SCHEMATHESIS_HOOKS: here('hooks.py') },
    },
  );
  const end = () => child.kill();
  process.once('SIGINT', end).once('SIGTERM', end);
  const [code] = await once(child, 'exit');
  return code ?? ENDED_BY_SIGNAL;
};

/** Without any input there is only one request to make up. */
const examplesNeeded = ({ path, query, headers, body }: EndpointDocument): number =>
  (path ?? query ?? headers ?? body) ? EXAMPLES_PER_OPERATION : 1;

/** What went wrong beyond what Schemathesis says itself: answers it would excuse, operations it looked at too little. */
const shortcomings = async ({ answers }: Service, scratch: string): Promise<string[]> => {
  const counts = await casesPerOperation(scratch);
  const neglected = Object.values(endpoints)
    .map((row) => ({ operation: `${row.method} ${pathInDocument(row)}`, needed: examplesNeeded(documents[row.id]) }))
    .filter(({ operation, needed }) => (counts.get(operation) ?? 0) < needed)
    .map(({ operation }) => operation);
  const excused = [...answers.keys()].filter((status) => status === 429 || status >= 500);
  return [
    ...neglected.map((operation) => `${operation} got ${counts.get(operation) ?? 0} examples.`),
    ...excused.map((status) => `${answers.get(status)} answers were ${status}.`),
  ];
};

const say = (lines: readonly string[]) => lines.forEach((line) => void process.stdout.write(`${line}\n`));

const main = async (): Promise<number> => {
  const service = await startService();
  const scratch = await mkdtemp(join(tmpdir(), 'schemathesis-'));
  try {
    const codes: number[] = [];
    for (const extra of RUNS) codes.push(await schemathesis(service, scratch, extra));
    const answers = [...service.answers].sort(([a], [b]) => a - b);
    const found = await shortcomings(service, scratch);
    say([`Answers by status: ${answers.map(([status, count]) => `${status}: ${count}`).join(', ')}`, ...found]);
    return found.length > 0 ? 1 : Math.max(...codes);
  } finally {
    await service.stop();
    await rm(scratch, { recursive: true, force: true });
  }
};

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
