import { startGateway } from '../lib/local/gateway/gateway.ts';
import { prepareEngine } from './prepared-engine.ts';

const WINDOW_MS = 60_000;
const REQUESTS_PER_WINDOW = 5_000;

/** A clock that opens a new window well before the plan's limit, so that the limit does not end the measurement. */
const steppingClock = () => {
  let requests = 0;
  return () => {
    requests += 1;
    return Date.now() + Math.floor(requests / REQUESTS_PER_WINDOW) * WINDOW_MS;
  };
};

const { key } = await prepareEngine();
const { origin } = await startGateway({ port: 0, clock: steppingClock() });
process.send?.({ origin, key });
