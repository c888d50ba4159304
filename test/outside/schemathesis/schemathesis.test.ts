import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { EndpointDocument } from '../../../functions/endpoints/document.ts';
import { endpoints } from '../../../functions/endpoints/table.ts';
import { type LocalService, startLocalService } from '../../../local/service.ts';
import { documents } from '../../../openapi/endpoint-documents.ts';
import { strictDocument } from '../../../openapi/strict-document.ts';
import { runCommand } from '../../support/program.ts';
import { useFolder } from '../../support/use-folder.ts';
import { pythonTools } from '../python-tools.ts';

const here = (name: string) => join(import.meta.dirname, name);
/** Examples for each operation. */
const EXAMPLES = Number(process.env.SCHEMATHESIS_EXAMPLES ?? 50);
const SEED = 20_261_121;
/** In a full run, requests for one item soon run out of ids from other answers: each is also run alone. */
const ITEM_OPERATIONS = (['read-content', 'update-content', 'delete-content'] as const).map(
  (id) => documents[id].operationId,
);
/** How much faster the gateway's clock runs, so that thousands of requests stay inside the premium plan. */
const CLOCK_RATE = 20;

// Only ends a run that hangs.
jest.setTimeout(1_800_000);

/** The status of every answer, by route. */
const answers: { readonly routeKey: string; readonly status: number }[] = [];
const inFolder = useFolder();
let service: LocalService;
let programs: string;

beforeAll(async () => {
  process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
  const startedAt = Date.now();
  service = await startLocalService(
    { port: 0, dynamodbPort: 0, clock: () => startedAt + (Date.now() - startedAt) * CLOCK_RATE },
    (entry) => void answers.push(entry),
  );
  programs = await pythonTools('schemathesis', 'schemathesis==4.32.5');
  await writeFile(inFolder('strict.json'), JSON.stringify(strictDocument()));
});
afterAll(() => service?.stop());

/** @throws Error with its report when it finds something */
const runSchemathesis = (...options: readonly string[]): Promise<string> => {
  const key = service.keys.plans.premium;
  const target = ['strict.json', '--url', `${service.origin}/v1`, '--header', `X-API-Key: ${key}`];
  const extent = ['--checks', 'all', '--max-examples', String(EXAMPLES), '--seed', String(SEED)];
  return runCommand(
    join(programs, 'schemathesis'),
    ['--config-file', here('schemathesis.toml'), 'run', ...target, ...extent, '--continue-on-failure', ...options],
    { cwd: inFolder(), env: { ...process.env, SCHEMATHESIS_HOOKS: here('hooks.py') } },
  );
};

/** Without any input there is only one request to make up. */
const examplesNeeded = ({ path, query, headers, body }: EndpointDocument): number =>
  (path ?? query ?? headers ?? body) ? EXAMPLES : 1;

// In this order: the last two look at all that was sent before.
describe('Schemathesis', () => {
  it('finds no response that the OpenAPI document does not allow', () => runSchemathesis());

  it.each(ITEM_OPERATIONS)('finds none when it calls only %s', (id) =>
    runSchemathesis('--include-operation-id', id, '--phases', 'fuzzing'),
  );

  it.each(Object.values(endpoints))('has sent enough examples to $id', ({ id, method, paths: [path] }) => {
    const sent = answers.filter(({ routeKey }) => routeKey === `${method} ${path}`);
    expect(sent.length).toBeGreaterThanOrEqual(examplesNeeded(documents[id]));
  });

  it('has met none of the statuses that it excuses, 429 and 5xx', () => {
    expect(answers.filter(({ status }) => status === 429 || status >= 500)).toEqual([]);
  });
});
