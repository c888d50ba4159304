/**
 * A gateway in a process of its own that tells its parent, whenever it is asked, how much memory it holds after a garbage
 * collection. Needs Node's `--expose-gc`.
 */
import { startGateway } from '../../../lib/local/gateway/gateway.ts';

/** Bytes: what JavaScript holds, and what the operating system gave the whole process. */
export interface Memory {
  readonly heap: number;
  readonly resident: number;
}

const collect = globalThis.gc;
if (collect === undefined) throw new Error('start this with --expose-gc');

const memory = (): Memory => {
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, resident: rss };
};

const { origin } = await startGateway({ port: 0 });
process.on('disconnect', () => process.exit(0));
process.on('message', () => process.send?.(memory()));
process.send?.(origin);
