/** The functions that are measured: their bundles, and fresh processes that run them as Lambda does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleFunctions } from '../lib/cloud/bundles.ts';
import type { FunctionId } from '../lib/endpoint-files.ts';
import type { CpuShare } from './cpu-share.ts';
import type { Block, Loaded, Work } from './function-process.ts';

/** The flags with which Lambda starts Node; those about memory do not matter here. */
const LAMBDA_FLAGS = ['--expose-gc'];

/**
 * A shell that starts Node, rather than Node directly: Linux counts the memory of the process that forks into the peak of
 * the new one (`setmax_mm_hiwater_rss` in its exec.c), and this one, with esbuild in it, has more than a small function.
 */
const throughShell = (share?: CpuShare) => ['-c', `${share ? `echo $$ > ${share.procs}; ` : ''}"$0" "$@"; :`];

/** Logs and metrics on, as in production. */
const ENVIRONMENT = {
  POWERTOOLS_SERVICE_NAME: 'vehicle-verification',
  POWERTOOLS_LOG_LEVEL: 'INFO',
  POWERTOOLS_METRICS_NAMESPACE: 'VehicleVerification/bench',
};

/** A function in a process of its own. */
export interface FunctionProcess {
  readonly loaded: Loaded;
  /** Invokes it with each event `repeat` times. @throws Error when the process ends or a status is another one */
  readonly invoke: (events: readonly object[], options?: { repeat?: number; status?: number }) => Promise<Block>;
  /** Ends it. Resolves to the bytes that it has logged. */
  readonly end: () => Promise<number>;
}

const nextMessage = async <T>(child: ChildProcess): Promise<T> => {
  const exit = new AbortController();
  const abort = () => exit.abort(new Error(`a function's process ended with ${child.exitCode ?? child.signalCode}`));
  child.once('exit', abort);
  try {
    const [message] = await once(child, 'message', { signal: exit.signal });
    return message;
  } finally {
    child.off('exit', abort);
  }
};

const startFunction = async (
  program: string,
  file: string,
  env: NodeJS.ProcessEnv,
  share?: CpuShare,
): Promise<FunctionProcess> => {
  const node = [process.execPath, ...LAMBDA_FLAGS, '--no-warnings', program, file];
  const child = spawn('sh', [...throughShell(share), ...node], {
    env: { ...process.env, ...ENVIRONMENT, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let logged = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    logged += chunk.length;
  });
  return {
    loaded: await nextMessage<Loaded>(child),
    invoke: async (events, { repeat = 1, status = 200 } = {}) => {
      child.send({ events, repeat } satisfies Work);
      const block = await nextMessage<Block>(child);
      const other = block.invocations.find(({ statusCode }) => statusCode !== status);
      if (other) throw new Error(`a measured request was answered ${other.statusCode} ${other.body}, not ${status}`);
      return block;
    },
    end: async () => {
      const ended = Promise.all([once(child, 'exit'), child.stdout && once(child.stdout, 'end')]);
      child.disconnect();
      await ended;
      return logged;
    },
  };
};

/** Bundles a file of this folder as an ES module, the form of AWS's own examples. */
const bundleModule = async (source: string, outfile: string): Promise<string> => {
  await build({
    entryPoints: [join(import.meta.dirname, source)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    minify: true,
    mainFields: ['module', 'main'],
    legalComments: 'none',
    // CommonJS packages need a `require` in an ES module.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outfile;
};

/** Bundles and starts functions; everything is removed afterwards. */
export interface Functions {
  /** The deployed bundle of each function, or that with the SDK's own client. */
  readonly deployed: (client?: 'sdk') => Promise<Readonly<Record<FunctionId, string>>>;
  /** The bundle of a file in `peers/`. */
  readonly peer: (name: string) => Promise<string>;
  /** A fresh process; `env` is added to this process's environment, `share` applies from its start. */
  readonly start: (file: string, env?: NodeJS.ProcessEnv, share?: CpuShare) => Promise<FunctionProcess>;
}

export const withFunctions = async <T>(measure: (functions: Functions) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    // Bundled, so that the process contains nothing that Lambda's does not: no TypeScript.
    const program = await bundleModule('function-process.ts', join(folder, 'program.mjs'));
    return await measure({
      deployed: async (client) => {
        const bundles = Object.entries(await bundleFunctions(join(folder, client ?? 'own'), client === 'sdk'));
        return Object.fromEntries(bundles.map(([id, place]) => [id, join(place, 'index.js')])) as Record<
          FunctionId,
          string
        >;
      },
      peer: (name) => bundleModule(`peers/${name}.ts`, join(folder, `${name}.mjs`)),
      start: (file, env = {}, share) => startFunction(program, file, env, share),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
};
