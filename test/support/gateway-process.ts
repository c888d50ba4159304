/**
 * A gateway in a process of its own, on the engine that its environment names: prints its origin, ends with its parent.
 * Its clock stands still; a number from the parent sets it. The first argument is how many requests it serves at once.
 */
import { startGateway } from '../../lib/local/gateway/gateway.ts';
import { NOON } from './clock.ts';

/** Few, since several of these processes share one engine with each other and with the test. */
const CONCURRENCY = 8;

let now = NOON;
const concurrency = Number(process.argv[2] ?? CONCURRENCY);
const { origin } = await startGateway({ port: 0, concurrency, clock: () => now });
process.on('disconnect', () => process.exit(0));
process.on('message', (moment: number) => {
  now = moment;
  process.send?.(now);
});
process.send?.(origin);
