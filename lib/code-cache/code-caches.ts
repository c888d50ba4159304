import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Bundles } from '../cloud/bundles.ts';

const PROCESS = fileURLToPath(new URL('./compile-process.ts', import.meta.url));

/** With which Lambda starts Node: V8 takes no code that was compiled without it. Flags on memory do not matter to it. */
export const LAMBDA_FLAGS = ['--expose-gc'] as const;

/** Node's names of the processors that Lambda has. */
const PROCESSORS: Readonly<Record<string, string>> = { arm64: 'arm64', x86_64: 'x64' };

/** Whether what this machine compiles can serve functions of an architecture (`arm64`, `x86_64`). */
export const canCompileFor = (architecture: string): boolean =>
  process.platform === 'linux' && process.arch === PROCESSORS[architecture];

/**
 * Writes into each bundle what V8 compiles of it at a cold start, for the version and processor of the Node that runs
 * this. @throws Error when a function does not answer as documented
 */
export const addCodeCaches = async (bundles: Bundles): Promise<void> => {
  const functions = Object.entries(bundles).map(([id, folder]) => `${id}=${folder}`);
  const child = fork(PROCESS, functions, {
    execArgv: [...LAMBDA_FLAGS],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('the functions could not be compiled in advance');
};
