import { spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LocalService, startLocalService } from '../../lib/local/service.ts';
import { run, snippets } from './snippets.ts';

const ROOT = resolve(import.meta.dirname, '../..');
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

const place = (origin: string) => ({ API_ORIGIN: origin, API_KEY: service.keys.premium });

describe('The TypeScript of docs/integration.md', () => {
  it('compiles against the published types', async () => {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    expect(await run(process.execPath, [compiler, '--project', folder])).toEqual({ code: 0, output: '' });
  });

  it('does not compile when it misreads an answer', async () => {
    const misread = join(folder, 'misread.ts');
    await writeFile(
      misread,
      "import type { Vehicle } from './api-types.ts';\nexport const f = (v: Vehicle) => v.colour;\n",
    );
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { code, output } = await run(process.execPath, [compiler, '--project', folder]);
    await rm(misread);
    expect(code).not.toBe(0);
    expect(output).toContain("'colour' does not exist on type");
  });

  it('runs against the service and says what it should', async () => {
    const { code, output } = await run(process.execPath, [join(folder, 'program.ts')], place(service.origin));
    expect(output.trim().split('\n')).toEqual([
      'AB12 CDE insured: true',
      'ZZ99ZZZ known: false',
      'TC11ALL compliant: false INSURANCE_LAPSED MOT_EXPIRED TAX_EXPIRED FINES_OUTSTANDING',
      'AB12 CDE true',
      'KR08 NIL false',
      'ZZ99ZZZ VEHICLE_NOT_FOUND',
      'help.example has 25 items',
      'created once: true',
      'versions: 2 3 4',
    ]);
    expect(code).toBe(0);
  });
});

describe('The way of backing off in docs/integration.md', () => {
  const startStub = async (answers: readonly [status: number, headers?: Record<string, string>][]) => {
    const arrivals: number[] = [];
    const server: Server = createServer((_request, response) => {
      const [status, headers] = answers[arrivals.length] ?? [200];
      arrivals.push(Date.now());
      if (status === 0) response.destroy();
      else response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end('{}');
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    return { server, arrivals, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };

  const attempt = async (call: string, answers: readonly [number, Record<string, string>?][]) => {
    const { server, arrivals, origin } = await startStub(answers);
    const program = join(folder, 'back-off.ts');
    await writeFile(program, [...blocks.slice(0, 2), `console.log((await ${call}).status);`].join('\n'));
    const { code, output } = await run(process.execPath, [program], place(origin));
    server.closeAllConnections();
    server.close();
    return { code, output, arrivals };
  };

  it('waits as long as Retry-After says, then through a fault and a broken connection, and gets there', async () => {
    const { code, output, arrivals } = await attempt("request('GET', '/', { repeatable: true })", [
      [429, { 'Retry-After': '1' }],
      [500],
      [0],
    ]);
    expect([code, output]).toEqual([0, '200\n']);
    expect(arrivals).toHaveLength(4);
    const [first = 0, second = 0] = arrivals;
    expect(second - first).toBeGreaterThanOrEqual(1_000);
  });

  it('never sends a change again whose fate is unknown', async () => {
    const { code, arrivals } = await attempt("request('POST', '/', { body: {} })", [[500]]);
    expect(code).not.toBe(0);
    expect(arrivals).toHaveLength(1);
  });

  it('gives up in the end', async () => {
    const { code, arrivals } = await attempt("request('GET', '/', { repeatable: true })", Array(9).fill([503]));
    expect(code).not.toBe(0);
    expect(arrivals).toHaveLength(5);
  });
});

(hasCurl ? describe : describe.skip)('The curl of docs/integration.md', () => {
  it.each(snippets('sh'))('works: %s', async (script) => {
    const { code, output } = await run('bash', ['-euo', 'pipefail', '-c', script], place(service.origin));
    expect([code, output]).toEqual([0, expect.not.stringContaining('"code":"UNAUTHORIZED"')]);
  });
});
