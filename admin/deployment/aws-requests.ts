/** Requests to services that few commands need: their clients are loaded with the request. */
import { userInfo } from 'node:os';
import {
  COVER_METRICS,
  IMPORT_METRICS,
  partsOf,
  type RecordKind,
  SUPPLIER_DIMENSION,
} from '../../core/stage/outputs.ts';
import { CommandFailure } from '../command/command-result.ts';
import { describeAwsError } from './aws-errors.ts';
import { OTHER_SERVICE_TIMEOUTS } from './database.ts';
import type { CommandContext, Deployment } from './deployment.ts';

/** The name of the user of this machine, or the user's id when there is no name, as in a container. */
const userName = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `user id ${process.getuid?.()}`;
  }
};

/** On AWS the ARN of the credentials, which STS returns without any permission; otherwise the user. */
export const readCaller = async ({ account }: Deployment): Promise<string> => {
  if (account === undefined) return userName();
  const { STSClient, GetCallerIdentityCommand } = await import('@aws-sdk/client-sts');
  const client = new STSClient({ ...account, requestHandler: OTHER_SERVICE_TIMEOUTS });
  try {
    const { Arn } = await client.send(new GetCallerIdentityCommand());
    if (Arn !== undefined) return Arn;
    throw new Error('The response of STS has no ARN.');
  } catch (error) {
    const reason = describeAwsError(error, account.profile, 'STS');
    throw new CommandFailure(`it is not known whose these credentials are, so nothing was done: ${reason}`, {
      cause: error,
    });
  }
};

/** What an import has loaded, or found unchanged, and how many vehicles got or lost cover. */
export type ImportFigures = Readonly<Record<'loaded' | keyof typeof COVER_METRICS, number>>;

/** Publishes the figures of an import, for the alarms on missing imports. An error is only a notice. */
export const publishImport = async (
  kind: RecordKind,
  supplier: string | undefined,
  { loaded, becameInsured, noLongerInsured }: ImportFigures,
  { deployment: { importMetrics, account }, notice, noticeOperators = notice }: CommandContext,
): Promise<void> => {
  if (importMetrics === undefined || account === undefined) return;
  const { CloudWatchClient, PutMetricDataCommand } = await import('@aws-sdk/client-cloudwatch');
  const client = new CloudWatchClient({ ...account, requestHandler: OTHER_SERVICE_TIMEOUTS });
  const values: [MetricName: string, Value: number][] = Array.from(new Set([kind, ...partsOf(kind)]), (one) => [
    IMPORT_METRICS[one],
    loaded,
  ]);
  if (kind === 'vehicles') {
    values.push([COVER_METRICS.becameInsured, becameInsured], [COVER_METRICS.noLongerInsured, noLongerInsured]);
  }
  const whose = supplier === undefined ? [[]] : [[], [{ Name: SUPPLIER_DIMENSION, Value: supplier }]];
  const MetricData = whose.flatMap((Dimensions) =>
    values.map(([MetricName, Value]) => ({ MetricName, Value, Dimensions })),
  );
  try {
    await client.send(new PutMetricDataCommand({ Namespace: importMetrics, MetricData }));
  } catch (error) {
    const reason = describeAwsError(error, account.profile, 'CloudWatch');
    noticeOperators(`The file is loaded, but the alarms NoImport and NothingLoaded do not know it: ${reason}.`);
  }
};
