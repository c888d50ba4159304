/** Requests of keys in the last 24 hours, and per UTC day of a month, from the counters of requests. */
import { stringify } from 'csv-stringify/sync';
import pLimit from 'p-limit';
import { MAX_COUNTED_MULTIPLE } from '../../core/access/authenticate.ts';
import { type KeyRecord, planOf } from '../../core/access/key-record.ts';
import { windowAt } from '../../core/access/plans.ts';
import { firstHour, sumUsage, type Usage, usageHours } from '../../core/access/usage-report.ts';
import { COUNTERS_KEPT_DAYS, usageTable, type WindowCount } from '../../core/access/usage-table.ts';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { formatNumber, printable, readableTable } from '../command/format.ts';
import { type CommandContext, tableName } from '../deployment/deployment.ts';
import { writeOutput } from '../files/output-file.ts';
import { openKeys, stateOf } from './keys.ts';
import { MAX_QUERIES, NAME_WIDTH, PLAN_WIDTH } from './list-keys.ts';

/** Characters of a name on a line of its own. */
const LINE_WIDTH = 79;
const DAY_SECONDS = 86_400;
const COUNT_HEADS = ['requests', 'rate limited', 'units'];

export interface MonthOptions {
  readonly csv?: string;
  readonly successors?: boolean;
}

/** A key, and the successors that are added to it. */
type Chain = readonly [KeyRecord, ...KeyRecord[]];

const toCells = ({ requests, rateLimited, units }: Usage) => [requests, rateLimited, units].map(formatNumber);

/** The key, a sentence about it, and a line for each hour or day with requests. */
const keyText = (
  { id, name, plan }: Readonly<Record<'id' | 'name' | 'plan', string>>,
  sentence: string,
  noun: 'hour' | 'day',
  rows: readonly (readonly [label: string, usage: Usage])[],
): string => {
  const used = rows.filter(([, { requests }]) => requests > 0).map(([label, usage]) => [label, ...toCells(usage)]);
  const table = readableTable([`${noun}, UTC`, ...COUNT_HEADS], used);
  return `Key ${id}, plan ${plan}\n${printable(name, LINE_WIDTH)}\n${sentence}\n\n${table}`;
};

/** Without the windows that began while the key was not valid: all of their requests were rejected. */
const readCounts = async (key: KeyRecord, { deployment }: CommandContext, ...period: readonly [number, number?]) => {
  const counts = await usageTable(deployment.db, tableName(deployment, 'usage')).counts(key.id, ...period);
  return counts.filter(({ start }) => stateOf(key, new Date(start * 1_000)) === 'active');
};

/** Requests of a key in the current window and the last 24 hours, counted like `GET /v1/usage`. */
export const recentUsage = async (id: string, context: CommandContext): Promise<CommandResult> => {
  const now = context.now();
  const window = windowAt(now);
  const key = await openKeys(context).get(id);
  const counts = await readCounts(key, context, firstHour(now));
  const count = counts.find(({ start }) => start === window.start)?.used ?? 0;
  const limit = planOf(context.deployment.plans, key).requestsPerWindow;
  const requests = count < MAX_COUNTED_MULTIPLE * limit ? `${count}` : `at least ${count}`;
  const until = new Date(window.end * 1_000).toISOString();
  const hours = usageHours(counts, key, now);
  return {
    text: keyText(
      key,
      `${requests} of ${limit} requests in the window that ends at ${until}.`,
      'hour',
      hours.map((hour) => [hour.start.slice(0, 'YYYY-MM-DDTHH:MM'.length), hour]),
    ),
    data: { id, plan: key.plan, count, limit, reset: window.end, hours },
  };
};

const dayOf = (unixSeconds: number): string => new Date(unixSeconds * 1_000).toISOString().slice(0, 10);

/** The days that have begun and whose counters are all kept, in Unix seconds, `to` exclusive. */
const reportedPeriod = (month: string, { now, notice }: CommandContext) => {
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
const readMonth = async (chain: Chain, from: number, to: number, context: CommandContext) => {
  const [key, ...successors] = chain;
  let counts: WindowCount[] = [];
  for (const one of chain) {
    context.signal.throwIfAborted();
    counts = [...counts, ...(await readCounts(one, context, from, to - 1))];
  }
  const days = Map.groupBy(counts, ({ start }) => dayOf(start));
  const { name, plan } = successors.at(-1) ?? key;
  return {
    id: key.id,
    name,
    plan,
    successors: successors.map(({ id }) => id),
    ...sumUsage(counts, key),
    days: [...days].map(([day, ofDay]) => ({ day, ...sumUsage(ofDay, key) })).sort((a, b) => (a.day < b.day ? -1 : 1)),
  };
};

type KeyMonth = Awaited<ReturnType<typeof readMonth>>;

/** A row for each key and day with requests, for spreadsheets: they need the byte order mark, and run formulas. */
const csvOf = (keys: readonly KeyMonth[]): string =>
  stringify(
    keys.flatMap((key) => key.days.map((day) => ({ ...key, ...day }))),
    {
      bom: true,
      header: true,
      columns: ['id', 'name', 'plan', 'day', 'requests', { key: 'rateLimited', header: 'rate_limited' }, 'units'],
      record_delimiter: 'windows',
      escape_formulas: true,
    },
  );

const monthTable = (keys: readonly KeyMonth[], month: string): string => {
  const used = keys.filter(({ requests }) => requests > 0);
  const rows = used.map(({ id, name, plan, ...usage }) => [
    `${id}\n${printable(name, NAME_WIDTH)}`,
    printable(plan, PLAN_WIDTH),
    ...toCells(usage),
  ]);
  const table = readableTable(['id\nname', 'plan', ...COUNT_HEADS], rows);
  return `${table}Keys with requests in ${month}: ${used.length} of ${keys.length}.\n`;
};

export const monthlyUsage = async (
  id: string | undefined,
  month: string,
  { csv, successors = false }: MonthOptions,
  context: CommandContext,
): Promise<CommandResult> => {
  const { from, to } = reportedPeriod(month, context);
  const chains = await readChains(id, successors, context);
  const keys = await pLimit(MAX_QUERIES).map(chains, (chain) => readMonth(chain, from, to, context));
  if (csv !== undefined) await writeOutput(csv, [csvOf(keys)], { signal: context.signal });
  const textOf = (key: KeyMonth): string => {
    const [requests, rateLimited, units] = toCells(key);
    const sentence = `${requests} requests in ${month}, ${rateLimited} rate limited, ${units} units.`;
    const days = key.days.map((day) => [day.day, day] as const);
    return keyText(key, sentence, 'day', days);
  };
  const [only] = id === undefined ? [] : keys;
  return {
    text: only === undefined ? monthTable(keys, month) : textOf(only),
    ...(csv !== undefined && { notes: `The days of each key are in ${csv}\n` }),
    data: { month, from: dayOf(from), to: dayOf(to - 1), keys, file: csv ?? null },
  };
};
