/** Requests to services that few commands need: their clients are loaded with the request. */
import { userInfo } from 'node:os';
import type { IntakeEntry } from '../../core/stage/intake-entry.ts';
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

/** What an import has loaded, or found unchanged, and how many vehicles got or lost cover. */
export interface ImportFigures {
  readonly noun: RecordKind;
  readonly supplier: string | undefined;
  readonly loaded: number;
  readonly becameInsured: number;
  readonly noLongerInsured: number;
}

/** The entries whose alarm an import ends: its own, or by hand those of its kinds and supplier. */
const watchedEntries = (
  { importMetrics, intake }: Deployment,
  { noun, supplier }: Pick<ImportFigures, 'noun' | 'supplier'>,
): readonly (readonly [prefix: string, kind: RecordKind])[] => {
  if (importMetrics?.entry !== undefined) return [[importMetrics.entry, noun]];
  const kinds: readonly string[] = [noun, ...partsOf(noun)];
  const isWatched = (entry: IntakeEntry) => kinds.includes(entry.import) && entry.supplier === supplier;
  return (intake?.entries ?? []).filter(isWatched).map((entry) => [entry.prefix, entry.import as RecordKind]);
};

/** Publishes the figures of an import, for the alarms on missing imports. An error is only a notice. */
export const publishImport = async (figures: ImportFigures, { deployment, notice }: CommandContext): Promise<void> => {
  const { importMetrics, account } = deployment;
  const { noun, loaded } = figures;
  if (importMetrics === undefined || account === undefined) return;
  const { CloudWatchClient, PutMetricDataCommand } = await import('@aws-sdk/client-cloudwatch');
  const client = new CloudWatchClient({ ...account, requestHandler: OTHER_SERVICE_TIMEOUTS });
  const dataOf = (kind: RecordKind, entry?: string) => {
    const covers = kind === 'vehicles' ? (['becameInsured', 'noLongerInsured'] as const) : [];
    const values = [
      [IMPORT_METRICS[kind], loaded],
      ...covers.map((name) => [COVER_METRICS[name], figures[name]]),
    ] as const;
    const dimensions = entry === undefined ? {} : { Dimensions: [{ Name: ENTRY_DIMENSION, Value: entry }] };
    return values.map(([MetricName, Value]) => ({
      MetricName: String(MetricName),
      Value: Number(Value),
      ...dimensions,
    }));
  };
  const kinds = importMetrics.isExpected ? new Set([noun, ...partsOf(noun)]) : [];
  const MetricData = [
    ...[...kinds].flatMap((kind) => dataOf(kind)),
    ...watchedEntries(deployment, figures).flatMap(([prefix, kind]) => dataOf(kind, prefix)),
  ];
  if (MetricData.length === 0) return;
  try {
    await client.send(new PutMetricDataCommand({ Namespace: importMetrics.namespace, MetricData }));
  } catch (error) {
    const reason = describeAwsError(error, account.profile, 'CloudWatch');
    const alarm = importMetrics.isExpected ? `NoImport-${noun}` : 'NothingLoaded';
    notice(`The file is loaded, but the alarm ${alarm} does not know it: ${reason}.`);
  }
};
