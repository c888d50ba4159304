/**
 * Schemathesis against the service on this machine: `bin/node test/outside/schemathesis/run.ts`, and with `200` as many
 * examples for each operation, 50 by default. Needs Python 3.10 with venv.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '../../../core/runtime/command-line.ts';
import type { EndpointDocument } from '../../../functions/endpoints/document.ts';
import { endpoints } from '../../../functions/endpoints/table.ts';
import { startLocalService } from '../../../local/service.ts';
import { documents } from '../../../openapi/endpoint-documents.ts';
import { strictDocument } from '../../../openapi/strict-document.ts';
import { pythonTools } from '../../support/python-tools.ts';

const here = (name: string) => join(import.meta.dirname, name);
const USAGE = `Usage: bin/node test/outside/schemathesis/run.ts [EXAMPLES]
Runs Schemathesis on the service, with so many examples for each operation (default: 50).`;
const [EXAMPLES = '50'] = readCommandLine(USAGE, (examples) => /^[1-9]\d*$/.test(examples));
const EXAMPLES_PER_OPERATION = Number(EXAMPLES);
const SEED = 20_261_121;
/** What a shell reports for a process that a signal ended. */
const ENDED_BY_SIGNAL = 130;

/** In a full run, requests for one item soon run out of ids from other answers: each is also run alone. */
const ITEM_OPERATIONS = (['read-content', 'update-content', 'delete-content'] as const).map(
  (id) => documents[id].operationId,
);
const RUNS = [[], ...ITEM_OPERATIONS.map((id) => ['--include-operation-id', id, '--phases', 'fuzzing'])];

/** How much faster the gateway's clock runs, so that thousands of requests stay inside the premium plan. */
const CLOCK_RATE = 20;

process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
const startedAt = Date.now();
/** The status of every answer, by route. */
const answers: { readonly routeKey: string; readonly status: number }[] = [];
const service = await startLocalService(
  { port: 0, dynamodbPort: 0, clock: () => startedAt + (Date.now() - startedAt) * CLOCK_RATE },
  (entry) => void answers.push(entry),
);

const schemathesis = async (scratch: string, extra: readonly string[]): Promise<number> => {
  const key = service.keys.plans.premium;
  const target = ['strict.json', '--url', `${service.origin}/v1`, '--header', `X-API-Key: ${key}`];
  const extent = ['--checks', 'all', '--max-examples', String(EXAMPLES_PER_OPERATION), '--seed', String(SEED)];
  const child = spawn(
    join(pythonTools(here('requirements.txt'), 'schemathesis'), 'schemathesis'),
    ['--config-file', here('schemathesis.toml'), 'run', ...target, ...extent, '--continue-on-failure', ...extra],
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

/** What Schemathesis does not report: answers that it excuses, and operations that it tried too little. */
const shortcomings = (): string[] => {
  const neglected = Object.values(endpoints).flatMap(({ id, method, paths: [path] }) => {
    const count = answers.filter(({ routeKey }) => routeKey === `${method} ${path}`).length;
    return count < examplesNeeded(documents[id]) ? `${method} ${path} got ${count} examples.` : [];
  });
  const excused = answers.filter(({ status }) => status === 429 || status >= 500);
  return [...neglected, ...excused.map(({ routeKey, status }) => `${routeKey} answered ${status}.`)];
};

const scratch = await mkdtemp(join(tmpdir(), 'schemathesis-'));
try {
  await writeFile(join(scratch, 'strict.json'), JSON.stringify(strictDocument()));
  const codes: number[] = [];
  for (const extra of RUNS) codes.push(await schemathesis(scratch, extra));
  const byStatus = Map.groupBy(answers, ({ status }) => status);
  const counts = [...byStatus].map(([status, { length }]) => `${status}: ${length}`).sort();
  const found = shortcomings();
  process.stdout.write(`${[`Answers by status: ${counts.join(', ')}`, ...found].join('\n')}\n`);
  process.exitCode = found.length > 0 ? 1 : Math.max(...codes);
} finally {
  await service.stop();
  await rm(scratch, { recursive: true, force: true });
}
