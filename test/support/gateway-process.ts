/** A gateway in a process of its own, on the engine that its environment names: prints its origin, ends with its parent. */
import { startGateway } from '../../lib/local/gateway/gateway.ts';
import { NOON } from './clock.ts';

/** Few, since several of these processes share one engine with each other and with the test. */
const CONCURRENCY = 8;

const gateway = await startGateway({ port: 0, concurrency: CONCURRENCY, clock: () => NOON });
process.on('disconnect', () => process.exit(0));
process.send?.(gateway.origin);
