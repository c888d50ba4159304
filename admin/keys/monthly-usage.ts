/** Requests of keys per UTC day of a month, from the counters that admission keeps. */
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { KeyRecord } from '../../core/access/key-record.ts';
import { sumUsage, type Usage } from '../../core/access/usage-report.ts';
import { COUNT_ATTRIBUTES, COUNTERS_KEPT_DAYS, windowCount } from '../../core/access/usage-table.ts';
import { CommandFailure } from '../command/command-result.ts';
import { type CommandContext, tableName } from '../deployment/deployment.ts';
import { beganBeforeEnd, openKeys, requireKeyId } from './keys.ts';

export const DAY_SECONDS = 86_400;

/** Unix seconds, `from` inclusive, `to` exclusive; both begin a day in UTC. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

export interface KeyMonth extends Usage {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  /** Ids of the successors that are included. */
  readonly successors: readonly string[];
  /** The days with requests. */
  readonly days: readonly (Usage & { readonly day: string })[];
}

export const dayOf = (unixSeconds: number): string => new Date(unixSeconds * 1_000).toISOString().slice(0, 10);

/** The days of the month that have begun and whose counters are all kept. @throws CommandFailure when there is none */
export const reportedPeriod = (month: string, { now, notice }: CommandContext): Period => {
  const seconds = now().getTime() / 1_000;
  const midnightFrom = (time: number) => Math.ceil(time / DAY_SECONDS) * DAY_SECONDS;
  const [year, number] = month.split('-').map(Number);
  const start = Date.parse(month) / 1_000;
  const end = Date.UTC(Number(year), Number(number)) / 1_000;
  if (start > seconds) throw new CommandFailure(`${month} has not begun (UTC)`);
  const kept = midnightFrom(seconds - COUNTERS_KEPT_DAYS * DAY_SECONDS);
  const rule = `counters are kept for ${COUNTERS_KEPT_DAYS} days`;
  if (kept >= end) throw new CommandFailure(`nothing is left of ${month}: ${rule}`);
  if (kept > start) notice(`The days of ${month} before ${dayOf(kept)} are missing: ${rule}.`);
  return { from: Math.max(start, kept), to: Math.min(end, midnightFrom(seconds + 1)) };
};

export const NO_USAGE: Usage = { requests: 0, rateLimited: 0, units: 0 };

const addUsage = (one: Usage | undefined, other: Usage): Usage => ({
  requests: (one?.requests ?? 0) + other.requests,
  rateLimited: (one?.rateLimited ?? 0) + other.rateLimited,
  units: (one?.units ?? 0) + other.units,
});

const addKey = async (
  days: Map<string, Usage>,
  key: KeyRecord,
  { from, to }: Period,
  { deployment, signal }: CommandContext,
): Promise<void> => {
  const pages = paginateQuery(
    { client: deployment.db },
    {
      TableName: tableName(deployment, 'usage'),
      KeyConditionExpression: 'keyId = :id AND windowStart BETWEEN :from AND :last',
      ExpressionAttributeValues: { ':id': key.id, ':from': from, ':last': to - 1 },
      ProjectionExpression: COUNT_ATTRIBUTES,
    },
  );
  for await (const { Items = [] } of pages) {
    signal.throwIfAborted();
    for (const count of Items.map(windowCount)) {
      if (!beganBeforeEnd(key, count.start)) continue;
      const day = dayOf(count.start);
      days.set(day, addUsage(days.get(day), sumUsage([count], key)));
    }
  }
};

const chainFrom = async (
  key: KeyRecord,
  find: (id: string) => Promise<KeyRecord | undefined>,
): Promise<[KeyRecord, ...KeyRecord[]]> => {
  const next = key.successor === undefined ? undefined : await find(key.successor);
  return next === undefined ? [key] : [key, ...(await chainFrom(next, find))];
};

/** The keys to report, each with the successors that are added to it. @throws UnknownApiKey */
export const readChains = async (id: string | undefined, successors: boolean, context: CommandContext) => {
  const keys = openKeys(context);
  const wanted = id === undefined ? await keys.list() : [await keys.get(requireKeyId(id))];
  if (!successors) return wanted.map((key): [KeyRecord, ...KeyRecord[]] => [key]);
  if (id !== undefined) return Promise.all(wanted.map((key) => chainFrom(key, keys.find)));
  const byId = new Map(wanted.map((key) => [key.id, key]));
  const first = wanted.filter(({ follows = '' }) => !byId.has(follows));
  return Promise.all(first.map((key) => chainFrom(key, async (next) => byId.get(next))));
};

/** Name and plan come from the newest key, as the customer has them now. */
export const keyMonth = async (
  [key, ...successors]: readonly [KeyRecord, ...KeyRecord[]],
  period: Period,
  context: CommandContext,
): Promise<KeyMonth> => {
  const days = new Map<string, Usage>();
  for (const one of [key, ...successors]) await addKey(days, one, period, context);
  const { name, plan } = successors.at(-1) ?? key;
  return {
    id: key.id,
    name,
    plan,
    successors: successors.map(({ id }) => id),
    ...[...days.values()].reduce<Usage>(addUsage, NO_USAGE),
    days: [...days].map(([day, usage]) => ({ day, ...usage })).sort((a, b) => a.day.localeCompare(b.day)),
  };
};
