/**
 * Cold starts and warm invocations of the insurance lookup, beside a raw SDK handler, which only sends the database
 * requests, and middy's official middlewares, which do what the lookup does.
 */
import { deepStrictEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import addFormats from 'ajv-formats';
import type { Plugin } from 'esbuild';
import { generateKey } from '../core/access/api-key.ts';
import { prepareEngine } from './engine.ts';
import type { Invocation } from './function-process.ts';
import { bundleModule, deployed, startFunction } from './functions.ts';
import { type Measurement, median, table } from './report.ts';
import { lookupEvent } from './requests.ts';

const COLD_STARTS = 21;
/** Each round has fresh processes. */
const WARM_ROUNDS = 5;
/** In blocks of invocations. The warm-up lasts until V8 has compiled: its threads count as CPU of the process. */
const WARM = { warmUp: 30, blocks: 10, invocations: 100 };

/** Only this measurement installs them. */
const PEER_PACKAGES = [
  ...['@middy/core@7.9.2', '@middy/http-error-handler@7.9.2', '@middy/http-event-normalizer@7.9.2'],
  ...['@middy/http-header-normalizer@7.9.2', '@middy/http-response-serializer@7.9.2'],
  ...['@middy/http-security-headers@7.9.2', '@middy/util@7.9.2', '@middy/validator@7.7.0'],
];

const COLUMNS = ['cold start ms', 'cold CPU ms', 'warm CPU ms', 'warm p50 ms', 'gzipped kB'] as const;
type Column = (typeof COLUMNS)[number];

/** A bundle of the lookup, and what was measured of it. */
const candidate = async (name: string, file: string) => {
  const samples: Partial<Record<Column, number>>[] = [{ 'gzipped kB': gzipSync(await readFile(file)).length / 1_000 }];
  return { name, file, samples };
};
type Candidate = Awaited<ReturnType<typeof candidate>>;

const medianOf = ({ samples }: Candidate, column: Column): number =>
  median(samples.flatMap((sample) => sample[column] ?? []));

/** All of them, each round beginning with the next one, so that noise affects all alike. */
const rotated = <T>(all: readonly T[], round: number): readonly T[] => {
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
};

type Start = (candidate: Candidate) => ReturnType<typeof startFunction>;

/** The first round only fills the page cache. */
const measureColdStarts = async (start: Start, candidates: readonly Candidate[], event: object) => {
  for (let round = 0; round <= COLD_STARTS; round += 1) {
    for (const one of rotated(candidates, round)) {
      const process = await start(one);
      const { importMs, cpuMs } = process.loaded;
      const first = await process.invoke([event]);
      await process.end();
      if (round > 0)
        one.samples.push({
          'cold start ms': importMs + (first.invocations[0]?.ms ?? Number.NaN),
          'cold CPU ms': cpuMs + first.cpuMs,
        });
    }
  }
};

/** A round's processor time of an invocation, and its median latency. */
const measureWarm = async (start: Start, candidates: readonly Candidate[], event: object) => {
  const events = Array<object>(WARM.invocations).fill(event);
  for (let round = 0; round < WARM_ROUNDS; round += 1) {
    const running = await Promise.all(
      candidates.map(async (one) => ({ one, process: await start(one), cpuMs: 0, times: [] as number[] })),
    );
    for (let turn = 0; turn < WARM.warmUp + WARM.blocks; turn += 1) {
      for (const own of rotated(running, turn)) {
        const { cpuMs, invocations } = await own.process.invoke(events);
        if (turn < WARM.warmUp) continue;
        own.cpuMs += cpuMs;
        own.times.push(...invocations.map(({ ms }) => ms));
      }
    }
    for (const { one, process, cpuMs, times } of running) {
      one.samples.push({
        'warm CPU ms': cpuMs / times.length,
        'warm p50 ms': median(times),
      });
      await process.end();
    }
  }
};

/** Compiles a schema while bundling, as `@middy/validator` recommends, because it would take 50 ms of a cold start. */
const compiledSchemas: Plugin = {
  name: 'compiled schemas',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\?compiled$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace('?compiled', '')),
      namespace: 'compiled',
    }));
    onLoad({ filter: /./, namespace: 'compiled' }, async ({ path }) => {
      const ajv = addFormats.default(new Ajv2020({ code: { source: true, esm: true } }));
      const { default: schema } = await import(path);
      return { contents: standaloneCode.default(ajv, ajv.compile(schema)), resolveDir: import.meta.dirname };
    });
  },
};

/** Bundles the peer. @throws Error when its packages cannot be installed */
const bundlePeer = async (): Promise<Candidate> => {
  const cwd = join(import.meta.dirname, 'peers');
  const options = ['--prefix', cwd, '--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', ['install', ...options, ...PEER_PACKAGES], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('npm install failed in bench/peers; it needs the npm registry.');
  return candidate('middy and its official middlewares', await bundleModule('peers/middy.ts', [compiledSchemas]));
};

/** The parts of a response that are the same for all but the raw handler. */
const comparable = ({ statusCode, headers = {}, body = '' }: Invocation) => ({
  statusCode,
  ...(statusCode === 200 && { body: JSON.parse(body) }),
  ...Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), String(value)] as const)
      .filter(([name]) => name.startsWith('x-ratelimit-')),
  ),
});

/**
 * @throws AssertionError when the peer responds otherwise than this API to a lookup, or with another status to an error
 */
const compareResponses = async (start: Start, own: Candidate, peer: Candidate, key: string) => {
  const requests = [
    [200, lookupEvent(key)],
    [401, lookupEvent(generateKey('live'))],
    [400, lookupEvent(key, 'AB12_CDE')],
    [404, lookupEvent(key, 'AB1OCDE')],
  ] as const;
  const respond = async (candidate: Candidate) => {
    const process = await start(candidate);
    const responses: object[] = [];
    for (const [status, event] of requests) {
      const { invocations } = await process.invoke([event], status);
      responses.push(...invocations.map(comparable));
    }
    await process.end();
    return responses;
  };
  deepStrictEqual(await respond(peer), await respond(own));
};

/** Milliseconds from a request to the database to its answer, where round trips are measured. */
const DATABASE_MS = 5;
/** Keys that an instance sees for the first time, one after the other. */
const NEW_KEYS = 200;

/**
 * The latency of a lookup by how well the instance knows the key. One that is sent once a minute to a busy service
 * meets an instance that has not seen it.
 */
const measureKeys = async (start: Start, own: Candidate, engine: Awaited<ReturnType<typeof prepareEngine>>) => {
  const unseen = await Array.fromAsync({ length: NEW_KEYS }, () => engine.newKey());
  engine.setDelay(DATABASE_MS);
  const process = await start(own);
  const invoke = async (keys: readonly string[]) =>
    (await process.invoke(keys.map((key) => lookupEvent(key)))).invocations.map(({ ms }) => ms);
  const sameKey = (times: number) => Array<string>(times).fill(engine.key);
  await invoke(sameKey(WARM.warmUp * WARM.invocations));
  const remembered = median(await invoke(sameKey(1_000)));
  const seenOnce = median(await invoke(unseen));
  await process.end();
  return table(
    ['lookup with a key', 'p50 ms'],
    [
      ['that the instance remembers', remembered.toFixed(1)],
      ['that is seen once a minute', seenOnce.toFixed(1)],
    ],
  );
};

const measure: Measurement = async () => {
  const engine = await prepareEngine();
  const overTls = await engine.overTls();
  engine.setDelay(0);
  // The raw handler does not read the request's key.
  const start: Start = ({ file }) => startFunction(file, { ...overTls, KEY_ID: engine.keyId });
  const raw = await candidate('raw SDK handler', await bundleModule('raw-handler.ts'));
  const own = await candidate('this API', (await deployed())['vehicle-insurance']);
  const peer = await bundlePeer();
  await compareResponses(start, own, peer, engine.key);
  const candidates = [raw, own, peer];
  const event = lookupEvent(engine.key);
  await measureColdStarts(start, candidates, event);
  await measureWarm(start, candidates, event);
  const rows = candidates.map((one) => [one.name, ...COLUMNS.map((column) => medianOf(one, column).toFixed(2))]);
  const ratios = COLUMNS.map((column) => (medianOf(own, column) / medianOf(raw, column)).toFixed(2));
  return [
    table(['', ...COLUMNS], [...rows, ['ratio of this API to the raw SDK handler', ...ratios]]),
    await measureKeys(start, own, engine),
  ];
};
export default measure;
