/** Requests to services that few commands need: their clients are loaded with the request. */
import { userInfo } from 'node:os';
import { COVER_METRICS, ENTRY_DIMENSION, IMPORT_METRICS, partsOf, type RecordKind } from '../../core/stage/outputs.ts';
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

const COVERS = ['becameInsured', 'noLongerInsured'] as const;

/** What an import has loaded, or found unchanged, and how many vehicles got or lost cover. */
export interface ImportFigures {
  readonly noun: RecordKind;
  readonly loaded: number;
  readonly becameInsured: number;
  readonly noLongerInsured: number;
}

/** Publishes the figures of an import, for the alarm on missing imports. An error is only a notice. */
export const publishImport = async (
  { noun, loaded, ...covers }: ImportFigures,
  { deployment: { importMetrics, account }, notice }: CommandContext,
): Promise<void> => {
  if (importMetrics === undefined || account === undefined) return;
  const { CloudWatchClient, PutMetricDataCommand } = await import('@aws-sdk/client-cloudwatch');
  const client = new CloudWatchClient({ ...account, requestHandler: OTHER_SERVICE_TIMEOUTS });
  const { entry } = importMetrics;
  const dimensions = entry === undefined ? {} : { Dimensions: [{ Name: ENTRY_DIMENSION, Value: entry }] };
  // The alarm of an entry watches only its own kind.
  const kinds = new Set([noun, ...(entry === undefined ? partsOf(noun) : [])]);
  const values = [
    ...Array.from(kinds, (kind) => [IMPORT_METRICS[kind], loaded] as const),
    ...COVERS.map((cover) => [COVER_METRICS[cover], covers[cover]] as const).filter(() => noun === 'vehicles'),
  ];
  const MetricData = values.map(([MetricName, Value]) => ({ MetricName, Value, ...dimensions }));
  try {
    await client.send(new PutMetricDataCommand({ Namespace: importMetrics.namespace, MetricData }));
  } catch (error) {
    const reason = describeAwsError(error, account.profile, 'CloudWatch');
    const alarm = entry === undefined ? `NoImport-${noun}` : 'NothingLoaded';
    notice(`The file is loaded, but the alarm ${alarm} does not know it: ${reason}.`);
  }
};
