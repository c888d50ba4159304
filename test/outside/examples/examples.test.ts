/** The programs of examples/ against the service. */

import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { type LocalService, startLocalService } from '../../../local/service.ts';
import { adminProcess, createKey } from '../../black-box/prepare-target.ts';
import { runCommand } from '../../support/program.ts';
import { useFolder } from '../../support/use-folder.ts';
import { type HttpFaultProxy, startHttpFaultProxy } from '../client/http-fault-proxy.ts';

const ROOT = join(import.meta.dirname, '../../..');

const inFolder = useFolder();

/** Installs the client for the programs in TypeScript. */
const installClient = async (): Promise<void> => {
  const client = inFolder('typescript/node_modules/vehicle-verification');
  await build({
    entryPoints: [join(ROOT, 'client/src/index.ts')],
    outfile: join(client, 'index.js'),
    bundle: true,
    format: 'esm',
  });
  await writeFile(join(client, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  await writeFile(inFolder('typescript/package.json'), '{ "private": true, "type": "module" }');
};

const COMMANDS: Readonly<Record<string, (program: string) => string>> = {
  curl: (program) => `./${program}.sh`,
  typescript: (program) => `${process.execPath} ${program}.ts`,
  python: (program) => `python3 ${program}.py`,
};

const FLEET = ['AB12CDE', 'KR08 NIL', 'ZZ99ZZZ', 'ER19THR'];

let service: LocalService;
let proxy: HttpFaultProxy;
let keys: Readonly<Record<'live' | 'test', string>>;

beforeAll(async () => {
  process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
  const now = Date.now();
  // Standing still, so that no program waits for the next window.
  service = await startLocalService({ port: 0, dynamodbPort: 0, clock: () => now });
  proxy = await startHttpFaultProxy(service.origin);
  // The test key of the sample data is on a small plan.
  const admin = adminProcess(['--dynamodb', service.dynamodb], process.env);
  const { key: test } = await createKey(admin, 'premium', '--env', 'test');
  keys = { live: service.keys.plans.premium ?? '', test };
  await cp(join(ROOT, 'examples'), inFolder(), { recursive: true });
  await installClient();
  await writeFile(inFolder('fleet.txt'), `${Array(625).fill(FLEET).flat().join('\n')}\n`);
});
afterAll(async () => {
  await proxy?.close();
  await service?.stop();
});

describe.each(Object.entries(COMMANDS))('The programs for %s', (name, command) => {
  const execute = (program: string, args = '', env: Readonly<Record<string, string>> = {}) =>
    runCommand('bash', ['-euo', 'pipefail', '-c', `${command(program)} ${args}`], {
      cwd: inFolder(name),
      env: { ...process.env, API_ORIGIN: proxy.origin, API_KEY: keys.test, ...env },
    });

  // API Gateway's own 429 for the first request of each path.
  beforeEach(() =>
    proxy.inject(({ path }) => {
      const isFirst = !proxy.requests.some((earlier) => earlier.path === path);
      return isFirst ? 'throttle' : undefined;
    }),
  );

  it.each([
    ['AB12CDE', 'AB12CDE insured'],
    ['"öl 77 ä"', 'öl 77 ä insured'],
    ['ZZ99ZZZ', 'ZZ99ZZZ VEHICLE_NOT_FOUND'],
    ['A/1', 'A/1 INVALID_REGISTRATION'],
  ])('looks %s up and prints: %s', async (registration, printed) => {
    expect(await execute('lookup', registration)).toBe(printed);
    expect(proxy.requests.length).toBeGreaterThan(1);
  });

  it('ends with an error that says why, when the key or the address is wrong', async () => {
    const wrong = [
      [{ API_KEY: `vvc_test_${'A'.repeat(36)}` }, 'Send a valid API key'],
      [{ API_ORIGIN: `${proxy.origin}/v1` }, 'The service has nothing at this path.'],
    ] as const;
    for (const [env, sentence] of wrong) {
      for (const [program, args] of [['lookup', 'AB12CDE'], ['fleet', '../fleet.txt'], ['content']] as const) {
        // Only standard error is left, for the message of the failure.
        await expect(execute(program, `${args ?? ''} >/dev/null`, env)).rejects.toThrow(sentence);
      }
    }
  });

  it('looks a list of 2,500 up, and asks again for what could not be read', async () => {
    const lines = (await execute('fleet', '../fleet.txt')).split('\n');
    const outcomes = ['LOOKUP_UNAVAILABLE', 'VEHICLE_NOT_FOUND', 'insured', 'not insured'];
    expect(lines.toSorted()).toEqual(outcomes.map((outcome) => `625 ${outcome}`));
    const asked = proxy.requests.filter(({ body }) => body.includes('ER19THR'));
    expect(asked.length).toBeGreaterThan(3);
  });

  it('walks through all content', async () => {
    const list = await fetch(`${service.origin}/v1/api/content?limit=100`, { headers: { 'X-API-Key': keys.live } });
    const { items, total } = (await list.json()) as {
      items: readonly { readonly slug: string }[];
      total: number;
    };
    const slugs = (await execute('content', '', { API_KEY: keys.live })).split('\n');
    expect(slugs).toEqual(items.map(({ slug }) => slug));
    expect(slugs).toHaveLength(total);
    expect(total).toBeGreaterThan(40);
  });
});
