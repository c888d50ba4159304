import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Stub, startStub } from '../stub/start.ts';
import { type Bundle, bundlePeers, bundleProgram, type Program } from './bundle.ts';

/** The flags with which Lambda starts Node; those about memory do not matter here. */
const LAMBDA_FLAGS = ['--expose-gc'];

/** A process that has one peer's bundle to itself. */
export interface PeerProcess {
  /** The next thing it tells. @throws Error when it ends instead */
  readonly told: <T>() => Promise<T>;
  readonly say: (message: number) => void;
  /** Ends it. Resolves when it is gone. */
  readonly end: () => Promise<void>;
}

/** The peers, built, and the database they work on. */
export interface Field {
  readonly bundles: readonly Bundle[];
  readonly stub: Stub;
  /** A fresh process that runs the program on a peer's bundle. */
  readonly start: (bundle: Bundle) => PeerProcess;
}

/**
 * A shell that starts Node, rather than Node at once: Linux counts the memory of whoever starts a process into that
 * process's peak (`setmax_mm_hiwater_rss` in its exec.c), and this one, with esbuild in it, has more than a small peer.
 */
const THROUGH_SHELL = ['-c', '"$0" "$@"; :'];

const startPeer = (program: string, { file, peer }: Bundle, { key, env }: Stub): PeerProcess => {
  const node = [process.execPath, ...LAMBDA_FLAGS, '--no-warnings', program, file, key];
  const child = spawn('sh', [...THROUGH_SHELL, ...node], { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  // As in Lambda, what is logged is read by somebody.
  child.stdout?.resume();
  const gone = once(child, 'exit');
  const failed = gone.then(() => {
    throw new Error(`the process of ${peer.name} ended before it told anything`);
  });
  failed.catch(() => undefined);
  return {
    told: async () => {
      const [message] = await Promise.race([once(child, 'message'), failed]);
      return message;
    },
    say: (message) => void child.send(message),
    end: async () => {
      child.disconnect();
      await gone;
    },
  };
};

/** Builds all the peers, starts the stub and lets `work` start processes that run `program`; then clears up. */
export const onField = async <T>(program: Program, work: (field: Field) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'peers-'));
  const stub = await startStub();
  try {
    const measuring = await bundleProgram(program, folder);
    const bundles = await bundlePeers(folder);
    return await work({ bundles, stub, start: (bundle) => startPeer(measuring, bundle, stub) });
  } finally {
    stub.close();
    await rm(folder, { recursive: true });
  }
};

/** The order of a round: each begins with another one, so that none is always first or always behind the same one. */
export const inTurn = <T>(all: readonly T[], round: number): readonly T[] => {
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
};
