import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Peer } from './peers.ts';

/** One process from its start to its first answer. */
export interface ColdStart {
  readonly importMs: number;
  readonly firstAnswerMs: number;
  readonly peakMegabytes: number;
}

const coldStart = async ({ file }: Peer, key: string, env: NodeJS.ProcessEnv): Promise<ColdStart> => {
  const child = fork(join(import.meta.dirname, 'first-answer.ts'), [file, key], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [measured] = (await once(child, 'message')) as [ColdStart];
  return measured;
};

/** Starts each peer `rounds` times in turns, so that whatever else the machine does strikes all of them alike. */
export const coldStarts = async (
  peers: readonly Peer[],
  rounds: number,
  key: string,
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<Peer, readonly ColdStart[]>> => {
  const starts = new Map<Peer, ColdStart[]>(peers.map((peer) => [peer, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const peer of peers) {
      const measured = await coldStart(peer, key, env);
      // The first round only warms the disk.
      if (round > 0) starts.get(peer)?.push(measured);
    }
  }
  return starts;
};
