import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { type Command, InvalidArgumentError } from 'commander';
import { PROBE_ID_PREFIX } from '../../core/access/api-key.ts';
import type { AwsService } from '../../core/aws/aws-json.ts';
import { AwsRejection } from '../../core/aws/aws-json.ts';
import { deriveSecret } from '../../core/lookup-log.ts';
import { REFERENCE } from '../../core/reference.ts';
import { dayAfter } from '../../core/runtime/clock.ts';
import type { LookupLogOutput } from '../../core/stage/outputs.ts';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { exampleOf, formatNumber, parseDay, printable, readableTable } from '../command/format.ts';
import { showCount } from '../command/progress.ts';
import { describeAwsError } from '../deployment/aws-errors.ts';
import { type CommandContext, type Runner, tableName } from '../deployment/deployment.ts';
import { parseRegistration } from '../lookup-command.ts';
import type { FoundLookup, Search } from './found-lookup.ts';
import { searchLogFile } from './log-file.ts';
import { type LogGroups, searchLogGroups } from './log-groups.ts';

interface LookupsOptions {
  readonly from?: string;
  readonly to?: string;
  readonly reference?: string;
  readonly log?: string;
}

const NOTES = `Operators' own reads are not among them: docs/operations.md#audit has these.
That a lookup is not found does not prove that there was none: docs/decisions.md#lookups-are-logged-as-keyed-hashes
`;

const HEAD = ['time (UTC)', 'key', 'name', 'answer', 'reference'];
const NAME_WIDTH = 30;

const wordsOf = ({ answer, endpoint }: FoundLookup): string => {
  const what = endpoint.includes('compliance') ? 'compliant' : 'insured';
  return { T: what, F: `not ${what}`, N: 'not found', U: 'not read' }[answer];
};

/** The names of all keys but the probe's, revoked ones too, by id. Reads nothing else of their records. */
const readKeyNames = async ({ deployment }: CommandContext): Promise<Map<string, string>> => {
  const pages = paginateScan(
    { client: deployment.db },
    {
      TableName: tableName(deployment, 'keys'),
      Select: 'SPECIFIC_ATTRIBUTES',
      ProjectionExpression: 'id, #name',
      ExpressionAttributeNames: { '#name': 'name' },
    },
  );
  const items = (await Array.fromAsync(pages)).flatMap(({ Items = [] }) => Items);
  const names = items.map(({ id, name }) => [String(id), String(name)] as const);
  return new Map(names.filter(([id]) => !id.startsWith(PROBE_ID_PREFIX)));
};

/** How requests are sent to the services of the lookup log. */
const openServices = async ({ deployment, env }: CommandContext, { endpoints }: LookupLogOutput) => {
  const { config } = deployment.db;
  const shared = { region: await config.region(), credentials: config.credentials, transport: config.requestHandler };
  const at = (service: 'kms' | 'logs', api: string): AwsService => ({
    ...shared,
    service,
    api,
    endpoint: (deployment.account && env.AWS_ENDPOINT_URL) || endpoints[service],
  });
  return { kms: at('kms', 'TrentService'), logs: at('logs', 'Logs_20140328') };
};

const UNUSABLE_KEY = /^(Disabled|NotFound|KMSInvalidState)Exception$/;

const asKeyFailure = (error: unknown, profile: string | undefined): CommandFailure => {
  const { name } = error as Error;
  const reason =
    name === 'AccessDeniedException'
      ? 'only the roles in the setting lookupLog.auditors may use it, with the policy in the output AuditorPolicy of the stack'
      : UNUSABLE_KEY.test(name)
        ? 'it is disabled or deleted, see docs/runbook.md#a-changed-key-of-the-lookup-log'
        : describeAwsError(error, profile, 'KMS');
  return new CommandFailure(`the key of the lookup log cannot be used (${name}): ${reason}`, { cause: error });
};

const expired = ({ retentionDays }: LookupLogOutput): CommandFailure =>
  new CommandFailure(`the log of these days has expired: its lines stay for ${retentionDays} days (logRetentionDays)`);

const asLogFailure = (error: unknown, logged: LookupLogOutput, profile: string | undefined): unknown => {
  if (!(error instanceof AwsRejection)) return error;
  // CloudWatch answers so when all of the time is before what a log group keeps.
  if (error.name === 'MalformedQueryException') return expired(logged);
  const sentence =
    error.name === 'AccessDeniedException'
      ? 'AWS denied the query: use credentials with the policy in the output AuditorPolicy of the stack'
      : describeAwsError(error, profile, 'CloudWatch Logs');
  return new CommandFailure(sentence, { cause: error });
};

/** The days to search, in UTC. */
const readDays = ({ from, to, log }: LookupsOptions): Pick<Search, 'from' | 'end'> => {
  if ((from === undefined || to === undefined) && log === undefined) {
    throw new CommandFailure('name the days with --from and --to, such as --from 2026-11-01 --to 2026-11-30');
  }
  if (from !== undefined && to !== undefined && to < from)
    throw new CommandFailure(`--to ${to} is before --from ${from}`);
  return {
    from: new Date(`${from ?? '1970-01-01'}T00:00:00Z`),
    end: new Date(`${dayAfter(to ?? '9998-12-31', 1)}T00:00:00Z`),
  };
};

const DAY_MS = 24 * 3_600_000;

/** Searches the log groups of a stage, as far back as they keep a line. */
const searchStage = async (
  groups: LogGroups,
  search: Search,
  keyIds: readonly string[],
  { notice, now, deployment }: CommandContext,
  logged: LookupLogOutput,
): Promise<FoundLookup[]> => {
  const oldest = new Date(now().getTime() - logged.retentionDays * DAY_MS);
  if (search.end <= oldest) throw expired(logged);
  if (search.from < oldest) {
    notice(`Lines stay for ${logged.retentionDays} days: nothing before ${oldest.toISOString()} can be found.`);
  }
  const from = new Date(Math.max(search.from.getTime(), oldest.getTime()));
  // Months to come would each be a query.
  const end = new Date(Math.min(search.end.getTime(), now().getTime() + DAY_MS));
  return searchLogGroups(groups, { ...search, from, end }, keyIds).catch((error: unknown) => {
    throw asLogFailure(error, logged, deployment.account?.profile);
  });
};

const findLookups = async (raw: string, options: LookupsOptions, context: CommandContext): Promise<CommandResult> => {
  const { key: registration } = parseRegistration(raw);
  const { lookupLog: logged, account } = context.deployment;
  const { log } = options;
  const days = readDays(options);
  if (logged === undefined) {
    throw new CommandFailure('no lookups are logged: name a stack with the setting lookupLog, with --stack');
  }
  if (account === undefined && log === undefined) {
    throw new CommandFailure('name the file of "npm start -- --log FILE" with --log FILE, or a stack with --stack');
  }
  const { kms, logs } = await openServices(context, logged);
  const names = await readKeyNames(context);
  const secrets = new Map<string, Promise<Buffer>>();
  const secretOf = (month: string): Promise<Buffer> => {
    const secret =
      secrets.get(month) ??
      deriveSecret(kms, logged.key, month).catch((error: unknown) => {
        throw asKeyFailure(error, account?.profile);
      });
    secrets.set(month, secret);
    return secret;
  };
  const search = { ...days, registration, reference: options.reference, secretOf };
  const progress = showCount(context, 'lines of the log');
  const groups = { logs, names: logged.logGroups, signal: context.signal, onProgress: progress.update };
  const found = await (log === undefined
    ? searchStage(groups, search, [...names.keys()], context, logged)
    : searchLogFile(log, search, progress.update)
  ).finally(progress.stop);
  const lookups = found
    .map((line) => ({ ...line, keyName: names.get(line.keyId) ?? null, answer: wordsOf(line) }))
    .sort((a, b) => a.time.localeCompare(b.time));
  const rows = lookups.map(({ time, keyId, keyName, answer, asOf, reference = '' }) => [
    time.replace('T', ' ').replace('Z', ''),
    keyId,
    printable(keyName ?? 'unknown', NAME_WIDTH),
    asOf === undefined ? answer : `${answer} on ${asOf}`,
    reference,
  ]);
  const counted = `${formatNumber(lookups.length)} ${lookups.length === 1 ? 'lookup' : 'lookups'} of ${registration}`;
  return {
    text: `${rows.length > 0 ? readableTable(HEAD, rows) : ''}${counted}.\n`,
    notes: NOTES,
    data: { registration, from: options.from ?? null, to: options.to ?? null, lookups },
  };
};

const parseReference = (text: string): string => {
  if (REFERENCE.test(text)) return text;
  throw new InvalidArgumentError('Write it as the caller has sent it: 1 to 64 letters, digits and ._:/-.');
};

export const addLookupsCommand = (program: Command, run: Runner): void => {
  program
    .command('lookups')
    .description('who has looked a vehicle up, when, with what reference and answer, where the stage logs lookups')
    .argument('<registration>', 'in any spelling; write quotes around one with a space, as in "AB12 CDE"')
    .option('--from <day>', 'first day, UTC, YYYY-MM-DD', parseDay)
    .option('--to <day>', 'last day, UTC, YYYY-MM-DD', parseDay)
    .option('--reference <text>', 'only lookups with this reference of the caller', parseReference)
    .option('--log <file>', 'search a file of log lines: exported from CloudWatch, or written by npm start -- --log')
    .addHelpText(
      'after',
      exampleOf('lookups "AB12 CDE" --from 2026-11-01 --to 2026-11-30 --stack vehicle-verification-prod'),
    )
    .action((raw: string, options: LookupsOptions) => run((context) => findLookups(raw, options, context)));
};
