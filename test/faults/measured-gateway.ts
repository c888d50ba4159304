/** A program that sends its parent the gateway's origin, and then its memory after each so many responses. */
import { startGateway } from '../../local/gateway/gateway.ts';

/** Bytes: the JavaScript heap, and the whole process. */
export interface Memory {
  readonly heap: number;
  readonly resident: number;
}

const every = Number(process.argv[2]);
let responses = 0;
const sendMemory = () => {
  responses += 1;
  if (responses % every > 0) return;
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  process.send?.({ heap: heapUsed, resident: rss } satisfies Memory);
};
const { origin } = await startGateway({ port: 0, onResponse: sendMemory });
process.on('disconnect', () => process.exit());
process.send?.(origin);
