/** A gateway in a process of its own, on the engine that its environment names: prints its origin, ends with its parent. */
import { startGateway } from '../../lib/local/gateway/gateway.ts';
import { NOON } from './clock.ts';

const gateway = await startGateway({ port: 0, clock: () => NOON });
process.on('disconnect', () => process.exit(0));
process.send?.(gateway.origin);
