import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import { readAllowance } from '../../core/access/allowance.ts';
import { type KeyRecord, planOf } from '../../core/access/key-record.ts';
import { SCOPES } from '../../core/access/scopes.ts';
import { COUNTERS_KEPT_DAYS, usageTable } from '../../core/access/usage-table.ts';
import { dayAfter, londonDate } from '../../core/runtime/clock.ts';
import type { CommandResult } from '../command/command-result.ts';
import { printable, readableTable, toLines } from '../command/format.ts';
import type { CommandContext, Deployment } from '../deployment/deployment.ts';
import { type KeyState, keyView, MAX_QUERIES, NAME_WIDTH, openKeys, PLAN_WIDTH, stateOf } from './keys.ts';

/** Days before its last day from which an active key is marked. */
export const ENDS_SOON_DAYS = 30;

const BINDING_WIDTH = 19;

/** Each cell has one line per field, so that a row fits into 80 characters. */
const HEAD = [
  'id\nname\ncustomer\nfollows',
  'plan\nenv\nallowance',
  'state\nuntil',
  'scopes\ndomains\naddresses',
  'last used\nUTC',
];

export interface ListOptions {
  readonly state?: KeyState;
  readonly name?: string;
}

/** The minute in which a key was last used, ISO 8601 UTC; null when that was not in the last 40 days. */
const findLastUse = async (db: DynamoDBDocumentClient, TableName: string, keyId: string, now: Date) => {
  // DynamoDB may keep expired counters for days.
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

/**
 * `lastUsed` is null when the key was not used in the last 40 days. It and the allowance are absent without the usage
 * table.
 */
const readListedKey = async (record: KeyRecord, now: Date, { db, tableNames, plans }: Deployment) => {
  const key = keyView(record, now);
  const { state, expires } = key;
  return {
    ...key,
    // The key then has the smallest limits of all plans.
    planIsGone: !Object.hasOwn(plans, key.plan),
    endsSoon: state === 'active' && expires !== null && expires <= dayAfter(londonDate(now), ENDS_SOON_DAYS),
    // `--tables` may name the keys table only, such as one that a deleted stack retained.
    ...(tableNames.usage && {
      allowance: await readAllowance(usageTable(db, tableNames.usage), record, planOf(plans, record), now),
      lastUsed: await findLastUse(db, tableNames.usage, key.id, now),
    }),
  };
};

type ListedKey = Awaited<ReturnType<typeof readListedKey>>;

const lastUsedText = ({ lastUsed }: ListedKey): string => {
  if (lastUsed === undefined) return 'unknown';
  return lastUsed === null ? `not in ${COUNTERS_KEPT_DAYS} d` : `${lastUsed.slice(0, 10)}\n${lastUsed.slice(11, 16)}`;
};

const cell = (...lines: readonly (string | false)[]): string => lines.filter(Boolean).join('\n');

const toRow = (key: ListedKey): string[] => [
  cell(
    key.id,
    printable(key.name, NAME_WIDTH),
    key.customer !== null && `customer\n${printable(key.customer, NAME_WIDTH)}`,
    key.follows !== null && `follows\n${key.follows}`,
  ),
  cell(
    printable(key.plan, PLAN_WIDTH),
    key.planIsGone && 'plan is gone',
    key.environment,
    ...(key.allowance ?? []).map(({ period, used, limit }) => `${period} ${Math.floor((100 * used) / limit)} %`),
  ),
  cell(key.state, key.revokedAt?.slice(0, 'YYYY-MM-DD'.length) ?? key.expires ?? 'no end', key.endsSoon && 'ends soon'),
  cell(
    ...(SCOPES.every((scope) => key.scopes.includes(scope)) ? ['all'] : key.scopes),
    ...(key.domains?.map((domain) => printable(domain, BINDING_WIDTH)) ?? ['any domain']),
    ...(key.addresses?.map((address) => printable(address, BINDING_WIDTH)) ?? []),
  ),
  lastUsedText(key),
];

export const listKeys = async ({ state, name = '' }: ListOptions, context: CommandContext): Promise<CommandResult> => {
  const now = context.now();
  const all = await openKeys(context).list();
  const wanted = all.filter(
    (key) => (state ?? stateOf(key, now)) === stateOf(key, now) && key.name.toLowerCase().includes(name.toLowerCase()),
  );
  const data = await pLimit(MAX_QUERIES).map(wanted, (key) => readListedKey(key, now, context.deployment));
  if (all.length === 0) return { text: 'There are no keys yet.\n', data };
  if (data.length === 0) return { text: 'No key is in that state or has such a name.\n', data };
  const ending = data.filter(({ endsSoon }) => endsSoon).length;
  const gone = data.filter(({ planIsGone }) => planIsGone).length;
  const notices = toLines([
    ending > 0 && `Keys that end within ${ENDS_SOON_DAYS} days: ${ending}.`,
    gone > 0 && `Keys whose plan is gone, which have the smallest limits of all plans: ${gone}.`,
  ]);
  return { text: readableTable(HEAD, data.map(toRow)) + notices, data };
};
