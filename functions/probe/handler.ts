import { environmentWith } from '../../core/runtime/environment.ts';
import { logProbe } from '../../core/runtime/log.ts';
import { keyOfToday } from './probe-key.ts';
import { smokeTest } from './smoke-test.ts';

/**
 * Runs the smoke test of the deployed service every minute (lib/probe.ts). Logs what failed, with the metric
 * of the alarm `Unreachable`, and does not throw: Lambda's metric of errors would repeat it.
 * @returns a sentence for each unexpected response, which .ci/smoke-test shows after a deployment
 * @throws MissingEnvironment
 */
export const handler = async (): Promise<readonly string[]> => {
  const { PROBED_ORIGIN: origin } = environmentWith(['PROBED_ORIGIN']);
  const now = new Date();
  const key = await keyOfToday(now).catch((error: Error) => error);
  // The name only: the SDK's message can quote the item.
  const failures =
    key instanceof Error ? [`its key could not be stored: ${key.name}`] : await smokeTest(origin, key, now);
  logProbe(failures);
  return failures;
};
