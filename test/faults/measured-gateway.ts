import { startGateway } from '../../local/gateway/gateway.ts';

/** Bytes: the JavaScript heap, and the whole process. */
export interface Memory {
  readonly heap: number;
  readonly resident: number;
}

/** For a process of its own (`forkCall`) with Node's `--expose-gc`. */
export const startMeasuredGateway = async () => {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error('start this with --expose-gc');
  const { origin } = await startGateway({ port: 0 });
  return {
    origin,
    /** After a garbage collection. */
    memory: (): Memory => {
      collect();
      const { heapUsed, rss } = process.memoryUsage();
      return { heap: heapUsed, resident: rss };
    },
  };
};
