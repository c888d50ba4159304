/** Processor time of requests without a valid key, whatever their bodies: nobody may buy much of it with nothing. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { generateKey } from '../functions/access/api-key.ts';
import { prepareEngine } from '../test/support/prepared-engine.ts';
import { deployedBundles } from './deployed-bundles.ts';
import { type Finding, median, percentile, type Run } from './report.ts';
import type { Request, Response } from './unauthenticated/cpu-process.ts';
import { type HostileRequest, hostileRequests } from './unauthenticated/hostile-requests.ts';

/** Until V8 is done compiling: its threads count as processor time of the process. */
const WARM_UPS = 600;
const INVOCATIONS = 300;
/** Milliseconds of processor time, median. */
const TARGET = 2;

const CPU_PROCESS = fileURLToPath(new URL('./unauthenticated/cpu-process.ts', import.meta.url));

/** The processor time of each invocation. @throws Error when one is answered otherwise than by 401 */
const cpuOf = async (bundle: string, event: object): Promise<readonly number[]> => {
  const child = fork(CPU_PROCESS, [bundle], {
    env: { ...process.env, POWERTOOLS_LOG_LEVEL: 'INFO', POWERTOOLS_METRICS_NAMESPACE: 'bench' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    child.send({ event, warmUps: WARM_UPS, invocations: INVOCATIONS } satisfies Request);
    const [{ cpuMs, statusCodes }] = (await once(child, 'message')) as [Response];
    if (statusCodes.some((status) => status !== 401)) throw new Error(`answers were ${statusCodes.join(', ')}`);
    return cpuMs;
  } finally {
    child.disconnect();
  }
};

interface Measured extends HostileRequest {
  readonly keyless: readonly number[];
  readonly forged: readonly number[];
}

const findingOf = (caller: 'keyless' | 'forged', name: string, measured: readonly Measured[]): Finding => {
  const worst = Math.max(...measured.map((one) => median(one[caller])));
  return {
    promise: `${name}: median at most ${TARGET} ms of processor time, for each endpoint and body`,
    found: `${worst.toFixed(2)} ms at most`,
    holds: worst <= TARGET,
  };
};

const METHOD = [
  `The deployed bundles, logs and metrics on, each request in a process of its own: ${WARM_UPS} invocations to warm up, ${INVOCATIONS} that`,
  "count. Processor time is user and system time of the function's process; the database (the embedded engine) has its own. A",
  'keyless request has no key at all; a forged one has a well-formed key that nobody has, so that it takes the database to reject it.',
].join('\n');

const run: Run = async (progress) => {
  const bundles = await deployedBundles();
  const engine = await prepareEngine();
  const measured: Measured[] = [];
  try {
    for (const [index, request] of hostileRequests.entries()) {
      progress(index, hostileRequests.length, `${request.endpoint}: ${request.what}`);
      const bundle = bundles.fileOf(request.endpoint);
      const keyless = await cpuOf(bundle, request.event(''));
      const forged = await cpuOf(bundle, request.event(generateKey('live')));
      measured.push({ ...request, keyless, forged });
    }
  } finally {
    engine.close();
    await bundles.remove();
  }
  return {
    findings: [
      findingOf('keyless', 'A request without a key', measured),
      findingOf('forged', 'A request with a forged key', measured),
    ],
    blocks: [
      { text: METHOD },
      {
        table: {
          head: ['endpoint', 'request', 'keyless p50 ms', 'keyless p99 ms', 'forged p50 ms', 'forged p99 ms'],
          rows: measured.map(({ endpoint, what, keyless, forged }) => [
            endpoint,
            what,
            ...[keyless, forged].flatMap((cpu) => [median(cpu).toFixed(2), percentile(cpu, 0.99).toFixed(2)]),
          ]),
        },
      },
    ],
  };
};
export default run;
