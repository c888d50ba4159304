import { startGateway } from '../lib/local/gateway/gateway.ts';
import { prepareEngine } from '../test/support/prepared-engine.ts';
import { steppingClock } from '../test/support/stepping-clock.ts';

/** Below the premium plan's 6,000. */
const REQUESTS_PER_WINDOW = 5_000;

const { key } = await prepareEngine();
const { origin } = await startGateway({ port: 0, clock: steppingClock(REQUESTS_PER_WINDOW) });
process.send?.({ origin, key });
