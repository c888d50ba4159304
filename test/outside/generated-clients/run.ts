/**
 * Generates clients from docs/openapi.json as docs/languages.md says, compiles them, and gets an answer and an error
 * with each: `bin/node test/outside/generated-clients/run.ts`. Imports it into Postman too.
 */
import { deepEqual } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { readCommandLine } from '../../../core/runtime/command-line.ts';
import { endpoints } from '../../../functions/endpoints/table.ts';
import { startLocalService } from '../../../local/service.ts';
import { pythonTools } from '../../support/python-tools.ts';
import { runCommand } from '../../support/run-command.ts';

readCommandLine(`Usage: bin/node test/outside/generated-clients/run.ts
Generates clients from docs/openapi.json, compiles them and gets answers and errors with each.`);

const DOCS = join(import.meta.dirname, '../../../docs');
const page = await readFile(join(DOCS, 'languages.md'), 'utf8');
const COMPILER_OPTIONS = { target: 'es2024', module: 'nodenext', strict: true, outDir: 'out', types: ['node'] };

/** How each client is compiled after the commands of the page; by folder of `drivers`. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  TypeScript: ['npm install --no-audit --no-fund --ignore-scripts typescript@5.9.3 @types/node@24.10.1', 'npx tsc'],
  Python: ['mypy --strict --follow-imports=silent python.py models.py models_v2.py vehicles/api vehicles/models'],
  Java: [],
  Go: ['go mod tidy', 'go vet ./...'],
  Postman: ['npm install --no-audit --no-fund --ignore-scripts newman@6.2.2 openapi-to-postmanv2@6.3.3'],
};

/** Imports the document as the page says, and sends each request. */
const POSTMAN =
  'npx openapi2postmanv2 -s openapi.json -o api.json -O parametersResolution=Example,enableOptionalParameters=false && npx newman run api.json --reporters progress --env-var baseUrl=$ORIGIN/v1 --env-var apiKey=$KEY';

/** What runs each driver. */
const DRIVERS: readonly (readonly [name: string, folder: string, command: string])[] = [
  ['openapi-fetch', 'TypeScript', 'node out/openapi-fetch.js'],
  ['openapi-python-client', 'Python', 'python python.py'],
  ['datamodel-code-generator', 'Python', 'python models.py'],
  ['openapi-generator', 'Java', 'mvn -q -f java compile exec:java -Dexec.mainClass=Driver'],
  ['oapi-codegen', 'Go', 'go run ./driver'],
];

/** What each driver prints: for three entries of a bulk lookup, then for an unknown vehicle. */
const ANSWERS = ['insured', 'not insured', 'VEHICLE_NOT_FOUND', '404 VEHICLE_NOT_FOUND AB12CDE'];

const ROUTES = new Set(Object.values(endpoints).map(({ method, paths: [path] }) => `${method} ${path}`));

const say = (line: string) => void process.stdout.write(`${line}\n`);

const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code);

const sections = page.split(/^### /m).map((text) => ({ heading: text.split('\n', 1)[0] ?? '', text }));

const drivers = (folder: string) => join(import.meta.dirname, 'drivers', folder);
const files = await mkdtemp(join(tmpdir(), 'generated-clients-'));
const python = pythonTools(join(import.meta.dirname, 'requirements.txt'), 'openapi-python-client');
const PATH = `${python}:${process.env.PATH}`;
const env = { ...process.env, PATH, PIP_CONSTRAINT: join(import.meta.dirname, 'requirements.txt') };
const run = async (folder: string, script: string, more: Readonly<Record<string, string>> = {}): Promise<string> => {
  const output = await runCommand('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: join(files, folder),
    env: { ...env, ...more },
  });
  // Maven ends with a colour.
  return stripVTControlCharacters(output).trim();
};

/** Makes the clients of a language and the programs that use them. */
const build = async (folder: string, commands: readonly string[]): Promise<void> => {
  const cwd = join(files, folder);
  await mkdir(cwd);
  await cp(join(DOCS, 'openapi.json'), join(cwd, 'openapi.json'));
  await writeFile(join(cwd, 'package.json'), '{ "private": true, "type": "module" }');
  await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }));
  const { text = '' } = sections.find(({ heading }) => heading === folder) ?? {};
  for (const block of blocksOf(text, 'sh')) await run(folder, block);
  if (existsSync(drivers(folder))) await cp(drivers(folder), cwd, { recursive: true });
  for (const command of commands) await run(folder, command);
};

/** Drives the clients that were made. */
const drive = async (): Promise<void> => {
  const seen: { readonly route: string; readonly status: number }[] = [];
  const service = await startLocalService({ port: 0, dynamodbPort: 0 }, ({ routeKey, status }) => {
    seen.push({ route: routeKey, status });
  });
  const access = { ORIGIN: service.origin, KEY: service.keys.plans.premium ?? '' };
  try {
    for (const [name, folder, command] of DRIVERS) {
      deepEqual((await run(folder, command, access)).split('\n'), ANSWERS, name);
      say(`${name}: an answer and an error`);
    }
    seen.length = 0;
    await run('Postman', POSTMAN, access);
    const admitted = seen.filter(({ status }) => status !== 401);
    deepEqual(new Set(admitted.map(({ route }) => route)), ROUTES);
    deepEqual(
      admitted.filter(({ status }) => status === 400),
      [],
    );
    say(`Postman: a request to each of ${ROUTES.size} routes`);
  } finally {
    await service.stop();
  }
};

try {
  for (const [folder, commands] of Object.entries(COMMANDS)) await build(folder, commands);
  await drive();
} finally {
  await rm(files, { recursive: true, force: true });
}
