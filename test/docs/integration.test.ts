import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LocalService, startLocalService } from '../../lib/local/service.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/integration.md'), 'utf8');
/** The examples of docs/integration.md in one language, in their order. */
const snippets = (language: 'sh' | 'ts'): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code);
const blocks = snippets('ts');
const hasCurl = ['curl', 'bash'].every((program) => spawnSync(program, ['--version']).status === 0);

let folder: string;
let service: LocalService;

const COMPILER = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    lib: ['esnext'],
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
  },
  include: ['*.ts'],
};

beforeAll(async () => {
  service = await startLocalService({ port: 0, dynamodbPort: 0 });
  folder = await mkdtemp(join(tmpdir(), 'integration-'));
  await copyFile(join(ROOT, 'docs/api-types.ts'), join(folder, 'api-types.ts'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(COMPILER));
  await writeFile(join(folder, 'program.ts'), blocks.join('\n'));
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a program to its end. */
const run = async (command: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
  const child = spawn(command, args, { env: { ...process.env, ...environment } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
};
const compile = () => run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--project', folder]);
const credentials = (origin: string) => ({
  API_ORIGIN: origin,
  API_KEY: service.keys.premium,
  API_TEST_KEY: service.keys.test,
});

describe('The TypeScript of docs/integration.md', () => {
  it('compiles against the published types', async () => {
    expect(await compile()).toEqual({ code: 0, output: '' });
  });

  it('does not compile when it misreads a response', async () => {
    const misread = join(folder, 'misread.ts');
    const source = "import type { Vehicle } from './api-types.ts';\nexport const f = (v: Vehicle) => v.colour;\n";
    await writeFile(misread, source);
    const { code, output } = await compile();
    await rm(misread);
    expect(code).not.toBe(0);
    expect(output).toContain("'colour' does not exist on type");
  });

  it('runs against the service with the expected output', async () => {
    const { code, output } = await run(process.execPath, [join(folder, 'program.ts')], credentials(service.origin));
    expect(
      output
        .trim()
        .replace(/by \d{4}-\d\d-\d\d$/gm, 'by DAY')
        .split('\n'),
    ).toEqual([
      'limit 6000 hours 24 over the limit 0',
      'AB12 CDE insured: true',
      'ZZ99ZZZ known: false',
      'TC11ALL compliant: false INSURANCE_LAPSED MOT_EXPIRED TAX_EXPIRED FINES_OUTSTANDING',
      'AB1OCDE: did you mean AB10CDE or not?',
      'AB12CDE on 2020-02-29: not known',
      'AB12 CDE true',
      'KR08 NIL false',
      'ZZ99ZZZ VEHICLE_NOT_FOUND',
      'MT17 DUE compliant',
      'SB66 FIN FINES_OUTSTANDING',
      'BD51 SMR compliant',
      'AB12 CDE compliant',
      'VE24 UNK COMPLIANCE_NOT_FOUND',
      'renew MOT of MT17 DUE by DAY',
      'renew insurance of BD51 SMR by DAY',
      'help.example has 25 items',
      'created once: true',
      'versions: 2 3 4',
    ]);
    expect(code).toBe(0);
  });
});

describe('The retries of docs/integration.md', () => {
  type Answer = readonly [status: number, headers?: Record<string, string>];

  /** Runs a request against a server that gives these answers, then 200; status 0 breaks the connection. */
  const attempt = async (request: string, answers: readonly Answer[]) => {
    const arrivals: number[] = [];
    const server = createServer((_request, response) => {
      const [status, headers] = answers[arrivals.length] ?? [200];
      arrivals.push(Date.now());
      if (status === 0) response.destroy();
      else response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end('{}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const program = join(folder, 'back-off.ts');
    await writeFile(program, [...blocks.slice(0, 2), `console.log((await ${request}).status);`].join('\n'));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const result = await run(process.execPath, [program], credentials(origin));
    server.close().closeAllConnections();
    return { ...result, arrivals };
  };
  const GET = "request('GET', '/', { repeatable: true })";

  it('wait as long as Retry-After says, then continue after a 500 and a broken connection', async () => {
    const { code, output, arrivals } = await attempt(GET, [[429, { 'Retry-After': '1' }], [500], [0]]);
    expect([code, output, arrivals.length]).toEqual([0, '200\n', 4]);
    const [first = 0, second = 0] = arrivals;
    expect(second - first).toBeGreaterThanOrEqual(1_000);
  });

  it.each<[string, string, Answer[], number]>([
    ['never repeat a change whose outcome is unknown', "request('POST', '/', { body: {} })", [[500]], 1],
    ['end after 5 attempts', GET, Array(9).fill([503]), 5],
  ])('%s', async (_title, request, answers, attempts) => {
    const { code, arrivals } = await attempt(request, answers);
    expect(code).not.toBe(0);
    expect(arrivals).toHaveLength(attempts);
  });
});

describe('The fleet check of docs/integration.md', () => {
  it('asks again for what could not be read, and only for that', async () => {
    const asked: string[][] = [];
    const server = createServer(async (request, response) => {
      const { registrations } = JSON.parse(await text(request)) as { registrations: string[] };
      asked.push(registrations);
      const entry = (registration: string) =>
        registration === 'B2' && asked.length < 3
          ? { registration, compliant: false, code: 'LOOKUP_UNAVAILABLE' }
          : { registration, compliant: true };
      response.end(JSON.stringify({ results: registrations.map(entry) }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const program = join(folder, 'fleet.ts');
    const definition = blocks.find((block) => block.includes('function checkFleet')) ?? '';
    const use = "console.log(JSON.stringify([...(await checkFleet(['A1', 'B2', 'C3'])).values()]));";
    await writeFile(program, [...blocks.slice(0, 2), definition, use].join('\n'));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { output } = await run(process.execPath, [program], credentials(origin));
    server.close().closeAllConnections();
    const answer = ['A1', 'B2', 'C3'].map((registration) => ({ registration, compliant: true }));
    expect([asked, JSON.parse(output)]).toEqual([[['A1', 'B2', 'C3'], ['B2'], ['B2']], answer]);
  });
});

/** What differs from run to run: dates, times, ids, and how much of the window is used. */
const timeless = (json: string): unknown =>
  JSON.parse(
    json
      .replace(/"\d{4}-\d\d-\d\d(T[\d:.]+Z)?"/g, '"DATE"')
      .replace(/"(requestId|id)": ?"[^"]+"/g, '"$1":"ID"')
      .replace(/"(used|remaining)": ?\d+/g, '"$1":0'),
  );

/** As much of an answer as the guide shows: an array that ends with "…" has more entries than are shown. */
const abridged = (answer: unknown, shown: unknown): unknown => {
  if (Array.isArray(answer) && Array.isArray(shown)) {
    if (shown.at(-1) !== '…') return answer.map((entry, index) => abridged(entry, shown[index]));
    return [...answer.slice(0, shown.length - 1), ...(answer.length >= shown.length ? ['…'] : [])];
  }
  if (typeof answer !== 'object' || answer === null) return answer;
  const parts = (shown ?? {}) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, abridged(value, parts[name])]));
};

(hasCurl ? describe : describe.skip)('The curl of docs/integration.md', () => {
  it.each(snippets('sh'))('works: %s', async (script) => {
    const { code, output } = await run('bash', ['-euo', 'pipefail', '-c', script], credentials(service.origin));
    expect([code, output]).toEqual([0, expect.not.stringContaining('"code":"UNAUTHORIZED"')]);
  });

  it('rehearses with the test key what the guide says', async () => {
    const script = snippets('sh').find((block) => block.includes('ER19THR')) ?? '';
    const { output } = await run('bash', ['-euo', 'pipefail', '-c', script], credentials(service.origin));
    expect(output.match(/^HTTP\/1.1 \d+/gm)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 429', 'HTTP/1.1 500']);
    expect(output.match(/^x-sandbox: true/gim)).toHaveLength(3);
    expect(output.match(/^retry-after: 1\r$/gim)).toHaveLength(2);
  });

  const answered = [...page.matchAll(/^```sh\n([^`]*)^```\n\n^```json\n([^`]*)^```$/gm)];

  it('has its answer below it in five places', () => {
    expect(answered).toHaveLength(5);
    expect(page.match(/^```json$/gm)).toHaveLength(5);
  });

  it.each(answered.map(([, script = '', shown = '']) => [script, shown]))(
    'gets the answer that is shown: %s',
    async (script, shown) => {
      const { output } = await run('bash', ['-euo', 'pipefail', '-c', script], credentials(service.origin));
      expect(abridged(timeless(output), timeless(shown))).toEqual(timeless(shown));
    },
  );
});
