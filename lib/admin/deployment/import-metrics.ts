import { IMPORT_METRICS } from '../../cloud/outputs.ts';
import { awsErrorSentence } from './aws-errors.ts';
import { REQUEST_HANDLER } from './database.ts';
import type { CommandContext } from './deployment.ts';

const isWatched = (noun: string): noun is keyof typeof IMPORT_METRICS => Object.hasOwn(IMPORT_METRICS, noun);

/** Publishes the number of loaded records, for the alarm on missing imports. An error is only a notice. */
export const publishImport = async (
  noun: string,
  loaded: number,
  { deployment: { importMetrics, aws }, notice }: CommandContext,
): Promise<void> => {
  if (importMetrics === undefined || !isWatched(noun)) return;
  // Loaded here, because other commands do not need it.
  const { CloudWatchClient, PutMetricDataCommand } = await import('@aws-sdk/client-cloudwatch');
  const client = new CloudWatchClient({ ...importMetrics.account, requestHandler: REQUEST_HANDLER });
  const MetricData = [{ MetricName: IMPORT_METRICS[noun], Value: loaded }];
  try {
    await client.send(new PutMetricDataCommand({ Namespace: importMetrics.namespace, MetricData }));
  } catch (error) {
    const failed = error instanceof Error ? error : new Error(String(error));
    const reason = awsErrorSentence(failed, aws?.profile) ?? `CloudWatch answered with ${failed.name}`;
    notice(`The file is loaded, but the alarm NoImport-${noun} does not know it: ${reason}.`);
  } finally {
    client.destroy();
  }
};
