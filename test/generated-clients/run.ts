/** Clients from docs/openapi.json by three generators: compiled, then every operation requested: `npm run test:clients`. */
import { deepEqual } from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLANS } from '../../core/access/plans.ts';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import type { Endpoint } from '../../functions/http/endpoint.ts';
import type { AccessLogEntry } from '../../lib/local/gateway/gateway.ts';
import { recordedExamples } from '../../lib/openapi/examples.ts';
import { responsesOf } from '../../lib/openapi/responses.ts';
import { pythonTools } from '../support/python-tools.ts';
import { runCommand } from '../support/run-command.ts';
import { startServiceUnderTest } from '../support/service-under-test.ts';

const DOCUMENT = join(import.meta.dirname, '../../docs/openapi.json');
const PACKAGES = [
  '@hey-api/openapi-ts@0.99.0',
  'openapi-fetch@0.17.0',
  'openapi-typescript@7.13.0',
  'typescript@5.9.3',
  '@types/node@24.10.1',
];
const COMPILER_OPTIONS = { target: 'es2024', module: 'nodenext', strict: true, outDir: 'out', types: ['node'] };

/** What each driver prints: first for its `failures`, then for each of its `calls` with a wrong key and three others. */
const FAILURES = [
  ...['400 INVALID_REGISTRATION', '404 VEHICLE_NOT_FOUND AB12CDE', '400 VALIDATION_FAILED'],
  ...['400 INVALID_REGISTRATION', '404 COMPLIANCE_NOT_FOUND', '400 VALIDATION_FAILED', '400 VALIDATION_FAILED'],
  ...['400 VALIDATION_FAILED', '409 SLUG_TAKEN', '409 IDEMPOTENCY_CONFLICT', '404 CONTENT_NOT_FOUND'],
  ...['400 VALIDATION_FAILED', '404 CONTENT_NOT_FOUND', '409 SLUG_TAKEN', '412 PRECONDITION_FAILED'],
  ...['404 CONTENT_NOT_FOUND', '412 PRECONDITION_FAILED'],
];
const CALLS = Object.values<Endpoint>(endpoints).flatMap(({ scope }) => [
  ...['401 UNAUTHORIZED', scope ? '403 SCOPE_MISSING' : 'none', '429 RATE_LIMITED', 'none'],
]);

const examples = recordedExamples();

/** Every status that the document names, as `GET /v1/usage 200`. A service without faults never answers 500. */
const DOCUMENTED = (Object.keys(endpoints) as EndpointId[]).flatMap((id) =>
  Object.keys(responsesOf(id, endpoints[id], examples))
    .filter((status) => status !== '500')
    .map((status) => `${endpoints[id].method} ${endpoints[id].paths[0]} ${status}`),
);

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Generates and compiles the clients in a folder. Gives the command that drives each. */
const buildClients = async (cwd: string): Promise<Readonly<Record<string, readonly [string, string]>>> => {
  const run = (command: string, args: readonly string[]) => runCommand(command, args, { cwd });
  const bin = (name: string) => join(cwd, 'node_modules/.bin', name);
  const python = pythonTools(join(import.meta.dirname, 'requirements.txt'), 'openapi-python-client');
  await cp(join(import.meta.dirname, 'drivers'), cwd, { recursive: true });
  await writeFile(join(cwd, 'package.json'), '{ "private": true, "type": "module" }');
  await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }));
  await writeFile(join(cwd, 'python.json'), '{ "literal_enums": true, "post_hooks": [] }');
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...PACKAGES]);
  await run(bin('openapi-typescript'), [DOCUMENT, '--output', 'openapi-typescript.ts']);
  await run(bin('openapi-ts'), ['--input', DOCUMENT, '--output', 'hey-api', '--no-log-file']);
  await run(bin('tsc'), []);
  const target = ['--meta', 'none', '--output-path', 'vehicle_verification_api_client', '--config', 'python.json'];
  await run(join(python, 'openapi-python-client'), ['generate', '--path', DOCUMENT, '--fail-on-warning', ...target]);
  await run(join(python, 'mypy'), ['--strict', 'python.py', 'vehicle_verification_api_client']);
  return {
    'openapi-fetch': [process.execPath, 'out/openapi-fetch.js'],
    'hey-api': [process.execPath, 'out/hey-api.js'],
    'openapi-python-client': [join(python, 'python'), 'python.py'],
  };
};

const main = async (): Promise<void> => {
  const seen = new Set<string>();
  const onResponse = ({ routeKey, status }: AccessLogEntry) => void seen.add(`${routeKey} ${status}`);
  const cwd = await mkdtemp(join(tmpdir(), 'generated-clients-'));
  const { origin, addKey, stop } = await startServiceUnderTest({ clockRate: 0, onResponse });
  try {
    const clients = await buildClients(cwd);
    const [KEY, NO_SCOPE_KEY, SPENT_KEY] = [await addKey('premium'), await addKey('premium', []), await addKey('free')];
    const env = { ...process.env, ORIGIN: origin, KEY, NO_SCOPE_KEY, SPENT_KEY };
    for (let count = 0; count < PLANS.free.requestsPerWindow; count += 1) {
      await fetch(`${origin}/v1/usage`, { headers: { 'X-API-Key': SPENT_KEY } });
    }
    for (const [name, [command, driver]] of Object.entries(clients)) {
      seen.clear();
      deepEqual((await runCommand(command, [driver], { env, cwd })).split('\n'), [...FAILURES, ...CALLS], name);
      deepEqual([...seen].toSorted(), DOCUMENTED.toSorted(), name);
      say(
        `${name}: ${CALLS.length + FAILURES.length} requests, ${seen.size} statuses of ${Object.keys(endpoints).length} operations`,
      );
    }
  } finally {
    await stop();
    await rm(cwd, { recursive: true, force: true });
  }
};

await main();
