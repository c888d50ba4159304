import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Command, Option } from 'commander';
import pLimit from 'p-limit';
import { SCOPES } from '../../core/access/scopes.ts';
import { COUNTERS_KEPT_DAYS } from '../../core/access/usage-table.ts';
import { dayAfter, londonDate } from '../../core/runtime/clock.ts';
import type { CommandResult } from '../command/command-result.ts';
import { readableTable } from '../command/readable-table.ts';
import type { CommandContext, Runner } from '../deployment/deployment.ts';
import { KEY_STATES, type KeyState, type KeyView, keyView, openKeys } from './keys.ts';

/** Days before its last day from which an active key is marked. */
const ENDS_SOON_DAYS = 30;

const MAX_QUERIES = 20;

/** Characters of a name and of a domain. With the widest values of the other columns, a row of `keys list` has 100. */
export const NAME_WIDTH = 20;
const DOMAIN_WIDTH = 21;

/** Each cell has one line per field, so that a row fits into 100 characters. */
const HEAD = ['id', 'name\nfollows', 'plan\nenv', 'state\nuntil', 'scopes\ndomains', 'last used\nUTC'];

interface ListOptions {
  readonly state?: KeyState;
  readonly name?: string;
}

/** `lastUsed` is null when the key was not used in the last 40 days, and absent without the usage table. */
interface ListedKey extends KeyView {
  readonly endsSoon: boolean;
  readonly lastUsed?: string | null;
}

/** Unix seconds from which all counters are kept. */
const keptSince = (now: Date): number => Math.floor(now.getTime() / 1_000) - COUNTERS_KEPT_DAYS * 86_400;

const shortened = (domain: string): string =>
  domain.length > DOMAIN_WIDTH ? `${domain.slice(0, DOMAIN_WIDTH - 1)}…` : domain;

const lastUsedText = ({ lastUsed, createdAt }: ListedKey, now: Date): string => {
  if (lastUsed === undefined) return 'unknown';
  if (lastUsed !== null) return `${lastUsed.slice(0, 10)}\n${lastUsed.slice(11, 16)}`;
  return Date.parse(createdAt) / 1_000 > keptSince(now) ? 'never' : `not in ${COUNTERS_KEPT_DAYS} d`;
};

const toRow = (key: ListedKey, now: Date): string[] => [
  key.id,
  [key.name, ...(key.follows === null ? [] : ['follows', key.follows])].join('\n'),
  `${key.plan}\n${key.environment}`,
  [
    key.state,
    key.revokedAt?.slice(0, 'YYYY-MM-DD'.length) ?? key.expires ?? 'no end',
    ...(key.endsSoon ? ['ends soon'] : []),
  ].join('\n'),
  [
    ...(key.scopes.length === SCOPES.length ? ['all'] : key.scopes),
    ...(key.domains?.map(shortened) ?? ['any domain']),
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
  const { db, tableNames } = context.deployment;
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
      endsSoon: key.state === 'active' && key.expires !== null && key.expires <= soon,
      ...(usage && { lastUsed: await findLastUse(db, usage, key.id, now) }),
    }),
  );
  const rows = data.map((key) => toRow(key, now));
  const ending = data.filter(({ endsSoon }) => endsSoon).length;
  const notice = ending > 0 ? `Keys that end within ${ENDS_SOON_DAYS} days: ${ending}.\n` : '';
  const table = () => readableTable(HEAD, rows, { widths: [null, NAME_WIDTH] }) + notice;
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
    .action((options: ListOptions) => run((context) => listKeys(options, context)));
};
