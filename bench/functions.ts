/** The functions that are measured: their bundles, and fresh processes that run them as Lambda does. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { build, type Plugin } from 'esbuild';
import type { FunctionId } from '../functions/endpoints/endpoint-files.ts';
import { bundleFunctions } from '../lib/bundles.ts';
import type { Block, Loaded } from './function-process.ts';
import { temporaryFolder } from './report.ts';

/** Logs and metrics on, as in production. */
const ENVIRONMENT = {
  POWERTOOLS_LOG_LEVEL: 'INFO',
  POWERTOOLS_METRICS_NAMESPACE: 'VehicleVerification/bench',
};

const folder = temporaryFolder();

/** Bundles a file of this folder as an ES module, the form of AWS's own examples. */
export const bundleModule = async (source: string, plugins: Plugin[] = []): Promise<string> => {
  const outfile = join(folder, `${source}.mjs`);
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
    plugins,
    // CommonJS packages need a `require` in an ES module.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outfile;
};

export const deployed = async (): Promise<Readonly<Record<FunctionId, string>>> => {
  const bundles = Object.entries(await bundleFunctions(join(folder, 'functions')));
  return Object.fromEntries(bundles.map(([id, place]) => [id, join(place, 'index.js')])) as Record<FunctionId, string>;
};

// Bundled, so that the process contains nothing that Lambda's does not: no TypeScript.
const program = await bundleModule('function-process.ts');

/**
 * A bundle in a process of its own.
 * @param env added to this process's environment
 * @param group the file that takes the ids of the processes of a control group; the process joins before it imports
 */
export const startFunction = async (file: string, env: NodeJS.ProcessEnv, group?: string) => {
  const child = fork(program, [file, ...(group === undefined ? [] : [group])], {
    env: { ...process.env, ...ENVIRONMENT, ...env },
    // Lambda starts Node with --expose-gc; its other flags are about memory.
    execArgv: ['--expose-gc', '--no-warnings'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ended = Promise.all([once(child, 'exit'), child.stdout && buffer(child.stdout)]);
  const failed = ended.then(([[code]]) => Promise.reject(new Error(`a function's process ended with ${code}`)));
  const next = async <T>(): Promise<T> => (await Promise.race([once(child, 'message'), failed]))[0];
  return {
    pid: child.pid,
    loaded: await next<Loaded>(),
    /** Invokes it with each event. @throws Error when the process ends or a status is another one */
    invoke: async (events: readonly object[], status = 200): Promise<Block> => {
      child.send(events);
      const block = await next<Block>();
      const other = block.invocations.find(({ statusCode }) => statusCode !== status);
      if (other) throw new Error(`a measured request was answered ${other.statusCode} ${other.body}, not ${status}`);
      return block;
    },
    /** Ends it. Resolves to the bytes that it has logged. */
    end: async (): Promise<number> => {
      child.disconnect();
      const [, log] = await ended;
      return log?.length ?? 0;
    },
  };
};
