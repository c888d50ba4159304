import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import { SCOPES } from '../../../core/access/scopes.ts';
import { COUNTERS_KEPT_DAYS } from '../../../core/access/usage-table.ts';
import type { CommandResult } from '../command/command-result.ts';
import { readableTable } from '../command/readable-table.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { type KeyView, keyView, openKeys } from './keys.ts';

/** Maximum number of concurrent queries for the last use of keys. */
const MAX_QUERIES = 20;

/** Characters of a name and of a domain. With the widest values of the other columns, a row of `keys list` has 100. */
export const NAME_WIDTH = 20;
const DOMAIN_WIDTH = 21;

/** Each cell has one line per field, so that a row fits into 100 characters. */
const HEAD = ['id', 'name\nfollows', 'plan\nenv', 'state\nuntil', 'scopes\ndomains', 'last used\nUTC'];

/** `lastUsed` is null when the key was not used in the last 40 days, and absent without the usage table. */
type ListedKey = KeyView & { readonly lastUsed?: string | null };

const shortened = (domain: string): string =>
  domain.length > DOMAIN_WIDTH ? `${domain.slice(0, DOMAIN_WIDTH - 1)}…` : domain;

const lastUsedText = ({ lastUsed }: ListedKey): string => {
  if (lastUsed === undefined) return 'unknown';
  return lastUsed === null ? `not in ${COUNTERS_KEPT_DAYS} d` : `${lastUsed.slice(0, 10)}\n${lastUsed.slice(11, 16)}`;
};

const toRow = (key: ListedKey): string[] => [
  key.id,
  [key.name, ...(key.follows === null ? [] : ['follows', key.follows])].join('\n'),
  `${key.plan}\n${key.environment}`,
  `${key.state}\n${key.revokedAt?.slice(0, 'YYYY-MM-DD'.length) ?? key.expires ?? 'no end'}`,
  [
    ...(key.scopes.length === SCOPES.length ? ['all'] : key.scopes),
    ...(key.domains?.map(shortened) ?? ['any domain']),
  ].join('\n'),
  lastUsedText(key),
];

/** The minute in which a key was last used, ISO 8601 UTC; null when that was not in the last 40 days. */
const findLastUse = async (
  db: DynamoDBDocumentClient,
  TableName: string,
  keyId: string,
  now: Date,
): Promise<string | null> => {
  const since = Math.floor(now.getTime() / 1_000) - COUNTERS_KEPT_DAYS * 86_400;
  const { Items: [newest] = [] } = await db.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'keyId = :keyId AND windowStart >= :since',
      ExpressionAttributeValues: { ':keyId': keyId, ':since': since },
      ProjectionExpression: 'windowStart',
      ScanIndexForward: false,
      Limit: 1,
    }),
  );
  return newest ? new Date(Number(newest.windowStart) * 1_000).toISOString() : null;
};

/** Lists all keys, oldest first, without the keys themselves. */
export const listKeys = async (context: CommandContext): Promise<CommandResult> => {
  // It may be that `--tables` names the keys table only, such as one that a deleted stack retained.
  const { db, tableNames } = context.deployment;
  const { usage } = tableNames;
  const now = context.now();
  const data = await pLimit(MAX_QUERIES).map(
    await openKeys(context).list(),
    async (key): Promise<ListedKey> => ({
      ...keyView(key, now),
      ...(usage && { lastUsed: await findLastUse(db, usage, key.id, now) }),
    }),
  );
  const table = () => readableTable(HEAD, data.map(toRow), { widths: [null, NAME_WIDTH] });
  return { text: data.length === 0 ? 'There are no keys yet.\n' : table(), data };
};
