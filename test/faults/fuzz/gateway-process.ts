/** The local gateway in a process of its own, on the engine that its environment names; its clock opens windows often. */
import { startGateway } from '../../../lib/local/gateway/gateway.ts';
import { steppingClock } from '../../support/stepping-clock.ts';
import { REQUESTS_PER_WINDOW } from './windows.ts';

const { origin } = await startGateway({ port: 0, clock: steppingClock(REQUESTS_PER_WINDOW) });
process.on('disconnect', () => process.exit(0));
process.on('message', (message) => process.send?.(message));
process.send?.(origin);
