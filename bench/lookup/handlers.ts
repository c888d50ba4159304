/** The handlers that are compared, their bundles, and processes that run them as Lambda would. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { bundleFunctions } from '../../lib/cloud/bundles.ts';
import { type Stub, startStub } from '../stub/start.ts';

export const HANDLERS = ['raw SDK handler', 'this API', 'this API, stock SDK client'] as const;
export type HandlerName = (typeof HANDLERS)[number];

/** A handler's bundle. */
export interface Bundle {
  readonly name: HandlerName;
  /** The module that exports `handler`. */
  readonly file: string;
  /** All files, each gzipped, in kB of 1,000 bytes. */
  readonly gzippedKb: number;
}

/** All files of a folder, each gzipped, in kB of 1,000 bytes. */
export const gzippedKbOf = async (folder: string): Promise<number> => {
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
  return files.reduce((sum, file) => sum + gzipSync(file).length, 0) / 1_000;
};

const source = (name: string) => join(import.meta.dirname, `${name}.ts`);

const ORDINARY: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  minify: true,
  mainFields: ['module', 'main'],
  legalComments: 'none',
  // CommonJS packages need a `require` in an ES module.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
};

/** The raw handler as an ES module, the form of AWS's own examples. */
const bundleRaw = async (folder: string): Promise<Bundle> => {
  const file = join(folder, 'index.mjs');
  await build({ ...ORDINARY, entryPoints: [source('raw-handler')], outfile: file });
  return { name: 'raw SDK handler', file, gzippedKb: await gzippedKbOf(folder) };
};

/** The bundle that is deployed. */
const bundleProduct = async (name: HandlerName, folder: string, stock: boolean): Promise<Bundle> => {
  const { 'vehicle-insurance': deployed } = await bundleFunctions(folder, stock);
  return { name, file: join(deployed, 'index.js'), gzippedKb: await gzippedKbOf(deployed) };
};

/** The flags with which Lambda starts Node; those about memory do not matter here. */
const LAMBDA_FLAGS = ['--expose-gc'];

/**
 * A shell that starts Node, rather than Node directly: Linux counts the memory of the process that forks into the peak of
 * the new one (`setmax_mm_hiwater_rss` in its exec.c), and this one, with esbuild in it, has more than a small handler.
 */
const THROUGH_SHELL = ['-c', '"$0" "$@"; :'];

/** A process that runs one handler. */
export interface HandlerProcess {
  /** The next message. @throws Error when the process ends instead */
  readonly receive: <T>() => Promise<T>;
  readonly send: (message: number) => void;
  readonly end: () => Promise<void>;
}

const startProcess = (program: string, { file, name }: Bundle, { key, env }: Stub): HandlerProcess => {
  const node = [process.execPath, ...LAMBDA_FLAGS, '--no-warnings', program, file, key];
  const child = spawn('sh', [...THROUGH_SHELL, ...node], { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  // As in Lambda, the log is read.
  child.stdout?.resume();
  const gone = once(child, 'exit');
  const failed = gone.then(() => {
    throw new Error(`the process of ${name} ended without a message`);
  });
  failed.catch(() => undefined);
  return {
    receive: async () => {
      const [message] = await Promise.race([once(child, 'message'), failed]);
      return message;
    },
    send: (message) => void child.send(message),
    end: async () => {
      child.disconnect();
      await gone;
    },
  };
};

/** The bundles, the database stub, and a way to start a fresh process for a bundle. */
export interface Setup {
  readonly bundles: readonly Bundle[];
  readonly stub: Stub;
  readonly start: (bundle: Bundle) => HandlerProcess;
}

/** Bundles the handlers and the measuring program, starts the stub, runs `work` and cleans up. */
export const withHandlers = async <T>(
  program: 'cold-process' | 'warm-process',
  work: (setup: Setup) => Promise<T>,
): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const stub = await startStub();
  try {
    // Bundled, so that its process contains nothing that Lambda's does not: no TypeScript.
    const measuring = join(folder, 'program.mjs');
    await build({ ...ORDINARY, entryPoints: [source(program)], outfile: measuring });
    const bundles = [
      await bundleRaw(join(folder, 'raw')),
      await bundleProduct('this API', join(folder, 'own'), false),
      await bundleProduct('this API, stock SDK client', join(folder, 'stock'), true),
    ];
    return await work({ bundles, stub, start: (bundle) => startProcess(measuring, bundle, stub) });
  } finally {
    stub.close();
    await rm(folder, { recursive: true });
  }
};

/** The order of a round: each round begins with the next one, so that none is always first. */
export const inTurn = <T>(all: readonly T[], round: number): readonly T[] => {
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
};
