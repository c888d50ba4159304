/** Requests of keys per UTC day of a month, from the counters that admission keeps. */
import { stringify } from 'csv-stringify/sync';
import pLimit from 'p-limit';
import type { KeyRecord } from '../../core/access/key-record.ts';
import { sumUsage, type Usage } from '../../core/access/usage-report.ts';
import { COUNTERS_KEPT_DAYS, usageTable } from '../../core/access/usage-table.ts';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { printable } from '../command/format.ts';
import { readableTable } from '../command/readable-table.ts';
import { type CommandContext, tableName } from '../deployment/deployment.ts';
import { writeOutput } from '../files/output-file.ts';
import { isValidAt, openKeys } from './keys.ts';
import { NAME_WIDTH, PLAN_WIDTH } from './list-keys.ts';
import { keyHeading, usageCells, usageLines } from './recent-usage.ts';

/** Maximum number of concurrent queries. A key that is busy every minute has 4 MB of counters a month. */
const MAX_QUERIES = 20;

const DAY_SECONDS = 86_400;

export interface MonthOptions {
  readonly csv?: string;
  readonly successors?: boolean;
}

/** Unix seconds, `from` inclusive, `to` exclusive; both begin a day in UTC. */
interface Period {
  readonly from: number;
  readonly to: number;
}

/** A key, and the successors that are added to it. */
type Chain = readonly [KeyRecord, ...KeyRecord[]];

const dayOf = (unixSeconds: number): string => new Date(unixSeconds * 1_000).toISOString().slice(0, 10);

/** The days of the month that have begun and whose counters are all kept. @throws CommandFailure when there is none */
const reportedPeriod = (month: string, { now, notice }: CommandContext): Period => {
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

const NO_USAGE: Usage = { requests: 0, rateLimited: 0, units: 0 };

const addUsage = (one: Usage, other: Usage): Usage => ({
  requests: one.requests + other.requests,
  rateLimited: one.rateLimited + other.rateLimited,
  units: one.units + other.units,
});

/** The keys to report: one key or all of them, each alone or together with its successors. */
const readChains = async (id: string | undefined, successors: boolean, context: CommandContext): Promise<Chain[]> => {
  const keys = openKeys(context);
  const one = id === undefined ? undefined : [await keys.get(id)];
  if (!successors) return (one ?? (await keys.list())).map((key) => [key]);
  const byId = new Map((await keys.list()).map((key) => [key.id, key]));
  const chainFrom = (key: KeyRecord): Chain => {
    const next = byId.get(key.successor ?? '');
    return next === undefined ? [key] : [key, ...chainFrom(next)];
  };
  return (one ?? [...byId.values()].filter(({ follows = '' }) => !byId.has(follows))).map(chainFrom);
};

/** Name and plan come from the newest key, as the customer has them now. */
const keyMonth = async ([key, ...successors]: Chain, { from, to }: Period, context: CommandContext) => {
  const { deployment, signal } = context;
  const usage = usageTable(deployment.db, tableName(deployment, 'usage'));
  const days = new Map<string, Usage>();
  for (const one of [key, ...successors]) {
    signal.throwIfAborted();
    for (const count of await usage.counts(one.id, from, to - 1)) {
      if (!isValidAt(one, count.start)) continue;
      const day = dayOf(count.start);
      days.set(day, addUsage(days.get(day) ?? NO_USAGE, sumUsage([count], one)));
    }
  }
  const { name, plan } = successors.at(-1) ?? key;
  return {
    id: key.id,
    name,
    plan,
    successors: successors.map(({ id }) => id),
    ...[...days.values()].reduce(addUsage, NO_USAGE),
    days: [...days].map(([day, counts]) => ({ day, ...counts })).sort((a, b) => a.day.localeCompare(b.day)),
  };
};

type KeyMonth = Awaited<ReturnType<typeof keyMonth>>;

/** A row for each key and day with requests, for spreadsheets: they need the byte order mark, and run formulas. */
const csvOf = (keys: readonly KeyMonth[]): string =>
  stringify(
    keys.flatMap(({ id, name, plan, days }) =>
      days.map(({ day, requests, rateLimited, units }) => [id, name, plan, day, requests, rateLimited, units]),
    ),
    {
      bom: true,
      header: true,
      columns: ['id', 'name', 'plan', 'day', 'requests', 'rate_limited', 'units'],
      record_delimiter: 'windows',
      escape_formulas: true,
    },
  );

const monthTable = (keys: readonly KeyMonth[], month: string): string => {
  const used = keys.filter(({ requests }) => requests > 0);
  const rows = used.map(({ id, name, plan, ...usage }) => [
    `${id}\n${printable(name, NAME_WIDTH)}`,
    printable(plan, PLAN_WIDTH),
    ...usageCells(usage),
  ]);
  const table = readableTable(['id\nname', 'plan', 'requests', 'rate limited', 'units'], rows);
  return `${table}Keys with requests in ${month}: ${used.length} of ${keys.length}.\n`;
};

/** Requests of one or every key in a month. @throws CommandFailure when nothing is left of the month */
export const monthlyUsage = async (
  id: string | undefined,
  month: string,
  { csv, successors = false }: MonthOptions,
  context: CommandContext,
): Promise<CommandResult> => {
  const period = reportedPeriod(month, context);
  const chains = await readChains(id, successors, context);
  const keys = await pLimit(MAX_QUERIES).map(chains, (chain) => keyMonth(chain, period, context));
  if (csv !== undefined) await writeOutput(csv, [csvOf(keys)], { signal: context.signal });
  const text = (key: KeyMonth): string => {
    const [requests, rateLimited, units] = usageCells(key);
    const counts = `${requests} requests in ${month}, ${rateLimited} rate limited, ${units} units.`;
    const lines = key.days.map((day) => ({ ...day, label: day.day }));
    return `${keyHeading(key)}${counts}\n\n${usageLines('day', lines)}`;
  };
  const [only] = id === undefined ? [] : keys;
  return {
    text: only === undefined ? monthTable(keys, month) : text(only),
    ...(csv !== undefined && { notes: `The days of each key are in ${csv}\n` }),
    data: { month, from: dayOf(period.from), to: dayOf(period.to - 1), keys, file: csv ?? null },
  };
};
