import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Command, Option } from 'commander';
import pLimit from 'p-limit';
import { SCOPES } from '../../core/access/scopes.ts';
import { COUNTERS_KEPT_DAYS } from '../../core/access/usage-table.ts';
import { dayAfter, londonDate } from '../../core/runtime/clock.ts';
import type { CommandResult } from '../command/command-result.ts';
import { exampleOf } from '../command/format.ts';
import { readableTable } from '../command/readable-table.ts';
import type { CommandContext, Runner } from '../deployment/deployment.ts';
import { KEY_STATES, type KeyState, type KeyView, keyView, openKeys } from './keys.ts';

/** Days before its last day from which an active key is marked. */
const ENDS_SOON_DAYS = 30;

const MAX_QUERIES = 20;

/** Characters of a name, a plan and a domain. With the widest values of the other columns a row has 80. */
export const NAME_WIDTH = 20;
export const PLAN_WIDTH = 12;
const DOMAIN_WIDTH = 20;

/** Each cell has one line per field, so that a row fits into 80 characters. */
const HEAD = ['id\nname\nfollows', 'plan\nenv', 'state\nuntil', 'scopes\ndomains', 'last used\nUTC'];

interface ListOptions {
  readonly state?: KeyState;
  readonly name?: string;
}

/** `lastUsed` is null when the key was not used in the last 40 days, and absent without the usage table. */
interface ListedKey extends KeyView {
  readonly endsSoon: boolean;
  /** Whether the stage has no plan of this name any more: the key works by the smallest one. */
  readonly planIsGone: boolean;
  readonly lastUsed?: string | null;
}

/** Unix seconds from which all counters are kept. */
const keptSince = (now: Date): number => Math.floor(now.getTime() / 1_000) - COUNTERS_KEPT_DAYS * 86_400;

/** At most so many characters of a text. */
export const shortened = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text;

const lastUsedText = ({ lastUsed, createdAt }: ListedKey, now: Date): string => {
  if (lastUsed === undefined) return 'unknown';
  if (lastUsed !== null) return `${lastUsed.slice(0, 10)}\n${lastUsed.slice(11, 16)}`;
  return Date.parse(createdAt) / 1_000 > keptSince(now) ? 'never' : `not in ${COUNTERS_KEPT_DAYS} d`;
};

const toRow = (key: ListedKey, now: Date): string[] => [
  [key.id, shortened(key.name, NAME_WIDTH), ...(key.follows === null ? [] : ['follows', key.follows])].join('\n'),
  [shortened(key.plan, PLAN_WIDTH), ...(key.planIsGone ? ['plan is gone'] : []), key.environment].join('\n'),
  [
    key.state,
    key.revokedAt?.slice(0, 'YYYY-MM-DD'.length) ?? key.expires ?? 'no end',
    ...(key.endsSoon ? ['ends soon'] : []),
  ].join('\n'),
  [
    ...(key.scopes.length === SCOPES.length ? ['all'] : key.scopes),
    ...(key.domains?.map((domain) => shortened(domain, DOMAIN_WIDTH)) ?? ['any domain']),
  ].join('\n'),
  lastUsedText(key, now),
];

/** The minute in which a key was last used, ISO 8601 UTC; null when that was not in the last 40 days. */
const findLastUse = async (db: DynamoDBDocumentClient, TableName: string, keyId: string, now: Date) => {
  const { Items: [newest] = [] } = await db.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'keyId = :keyId AND windowStart >= :since',
      ExpressionAttributeValues: { ':keyId': keyId, ':since': keptSince(now) },
      ProjectionExpression: 'windowStart',
      ScanIndexForward: false,
      Limit: 1,
    }),
  );
  return newest ? new Date(Number(newest.windowStart) * 1_000).toISOString() : null;
};

const listKeys = async ({ state, name = '' }: ListOptions, context: CommandContext): Promise<CommandResult> => {
  // It may be that `--tables` names the keys table only, such as one that a deleted stack retained.
  const { db, tableNames, plans } = context.deployment;
  const { usage } = tableNames;
  const now = context.now();
  const soon = dayAfter(londonDate(now), ENDS_SOON_DAYS);
  const all = (await openKeys(context).list()).map((key) => keyView(key, now));
  const wanted = all.filter(
    (key) => (state ?? key.state) === key.state && key.name.toLowerCase().includes(name.toLowerCase()),
  );
  const data = await pLimit(MAX_QUERIES).map(
    wanted,
    async (key): Promise<ListedKey> => ({
      ...key,
      planIsGone: !Object.hasOwn(plans, key.plan),
      endsSoon: key.state === 'active' && key.expires !== null && key.expires <= soon,
      ...(usage && { lastUsed: await findLastUse(db, usage, key.id, now) }),
    }),
  );
  const rows = data.map((key) => toRow(key, now));
  const ending = data.filter(({ endsSoon }) => endsSoon).length;
  const gone = data.filter(({ planIsGone }) => planIsGone).length;
  const notices = [
    ending > 0 && `Keys that end within ${ENDS_SOON_DAYS} days: ${ending}.`,
    gone > 0 && `Keys whose plan is gone, which work by the plan with the fewest requests: ${gone}.`,
  ].flatMap((notice) => (notice ? `${notice}\n` : []));
  const table = () => readableTable(HEAD, rows) + notices.join('');
  const none = all.length === 0 ? 'There are no keys yet.\n' : 'No key is in that state or has such a name.\n';
  return { text: data.length === 0 ? none : table(), data };
};

/** Adds `keys list`. */
export const addListKeys = (keys: Command, run: Runner): void => {
  keys
    .command('list')
    .description(`keys, oldest first, never the keys themselves; "ends soon" is within ${ENDS_SOON_DAYS} days`)
    .addOption(new Option('--state <state>', 'only keys in this state').choices(KEY_STATES))
    .option('--name <text>', 'only keys whose name contains this text, in upper or lower case')
    .addHelpText('after', exampleOf('keys list --state active --name acme'))
    .action((options: ListOptions) => run((context) => listKeys(options, context)));
};
