import { logProbe } from '../../core/observability/log.ts';
import { probedOrigin } from '../../core/runtime/environment.ts';
import { journey } from './journey.ts';
import { keyOfToday } from './probe-key.ts';

/**
 * Makes the whole journey through the deployed service, every minute (lib/cloud/probe.ts), and writes what failed with the
 * metric of the alarm `Unreachable`. It does not throw: Lambda's own metric of errors would say the same again.
 * @throws MissingEnvironment
 */
export const handler = async (): Promise<void> => {
  const origin = probedOrigin();
  const now = new Date();
  const key = await keyOfToday(now).catch((error: Error) => error);
  // The name only: the SDK's message can quote the item.
  logProbe(key instanceof Error ? [`its key could not be stored: ${key.name}`] : await journey(origin, key, now));
};
