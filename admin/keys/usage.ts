/** Requests of keys in the last 24 hours, and per UTC day of a month, from the counters of requests. */
import { stringify } from 'csv-stringify/sync';
import pLimit from 'p-limit';
import { readAllowance } from '../../core/access/allowance.ts';
import { MAX_COUNTED_MULTIPLE } from '../../core/access/authenticate.ts';
import { creationOwnerId, type KeyRecord, planOf } from '../../core/access/key-record.ts';
import { windowAt } from '../../core/access/plans.ts';
import { firstHour, sumUsage, type Usage, usageHours } from '../../core/access/usage-report.ts';
import { COUNTERS_KEPT_DAYS, usageTable } from '../../core/access/usage-table.ts';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { formatNumber, printable, readableTable } from '../command/format.ts';
import { type CommandContext, tableName } from '../deployment/deployment.ts';
import { writeOutput } from '../files/output-file.ts';
import { MAX_QUERIES, NAME_WIDTH, openKeys, PLAN_WIDTH, stateOf } from './keys.ts';

/** Characters of a name on a line of its own. */
const LINE_WIDTH = 79;
const DAY_SECONDS = 86_400;
const COUNT_HEADS = ['requests', 'rate limited', 'units'];

export interface MonthOptions {
  readonly csv?: string;
  readonly byCustomer?: boolean;
}

const toCells = ({ requests, rateLimited, units }: Usage) => [requests, rateLimited, units].map(formatNumber);

/** Key or customer, a sentence about it, and a line for each hour or day with requests. */
const usageText = (
  owner: string,
  { name, plan }: Readonly<Record<'name' | 'plan', string>>,
  sentence: string,
  noun: 'hour' | 'day',
  rows: readonly (readonly [label: string, usage: Usage])[],
): string => {
  const used = rows.filter(([, { requests }]) => requests > 0).map(([label, usage]) => [label, ...toCells(usage)]);
  const table = readableTable([`${noun}, UTC`, ...COUNT_HEADS], used);
  return `${owner}, plan ${plan}\n${printable(name, LINE_WIDTH)}\n${sentence}\n\n${table}`;
};

const openUsage = ({ deployment }: CommandContext) => usageTable(deployment.db, tableName(deployment, 'usage'));

/** Without the windows that began while the key was not valid: all of their requests were rejected. */
const readCounts = async (key: KeyRecord, context: CommandContext, start: number, end?: number) => {
  const counts = await openUsage(context).counts(key.id, start, end);
  return counts.filter(({ start }) => stateOf(key, new Date(start * 1_000)) === 'active');
};

/** Requests of a key in the current window and the last 24 hours, counted like `GET /v1/usage`. */
export const recentUsage = async (id: string, context: CommandContext): Promise<CommandResult> => {
  const now = context.now();
  const window = windowAt(now);
  const key = await openKeys(context).get(id);
  const counts = await readCounts(key, context, firstHour(now));
  const count = counts.find(({ start }) => start === window.start)?.used ?? 0;
  const plan = planOf(context.deployment.plans, key);
  const limit = plan.requestsPerWindow;
  const allowance = await readAllowance(openUsage(context), key, plan, now);
  const requests = count < MAX_COUNTED_MULTIPLE * limit ? `${count}` : `at least ${count}`;
  const until = new Date(window.end * 1_000).toISOString();
  const hours = usageHours(counts, key, now);
  return {
    text: usageText(
      `Key ${id}`,
      key,
      [
        `${requests} of ${limit} requests in the window that ends at ${until}.`,
        ...allowance.map(
          ({ period, limit, used, resetsAt }) =>
            `${formatNumber(used)} of ${formatNumber(limit)} units in the ${period} that ends at ${resetsAt}.`,
        ),
      ].join('\n'),
      'hour',
      hours.map((hour) => [hour.start.slice(0, 'YYYY-MM-DDTHH:MM'.length), hour]),
    ),
    data: { id, plan: key.plan, count, limit, reset: window.end, allowance, hours },
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

/** The keys of one line of the report, oldest first. */
type Group = [KeyRecord, ...KeyRecord[]];

/** By customer, or without one a key with its successors, which belong to the customer of the newest of them. */
const groupByCustomer = (keys: readonly KeyRecord[]): Group[] => {
  const newestOf = new Map(keys.map((key) => [creationOwnerId(key), key]));
  const ownerOf = (key: KeyRecord): string => {
    const firstId = creationOwnerId(key);
    const customer = newestOf.get(firstId)?.customer;
    return customer === undefined ? `key ${firstId}` : `customer ${customer}`;
  };
  return [...Map.groupBy(keys, ownerOf).values()] as Group[];
};

/** One key or every key, each by itself or with the others of its customer. */
const readGroups = async (id: string | undefined, byCustomer: boolean, context: CommandContext): Promise<Group[]> => {
  const keys = openKeys(context);
  const one = id === undefined ? undefined : await keys.get(id);
  if (!byCustomer) return (one ? [one] : await keys.list()).map((key) => [key]);
  const groups = groupByCustomer(await keys.list());
  return one ? groups.filter((group) => group.some((key) => key.id === id)) : groups;
};

const readDays = async (key: KeyRecord, from: number, to: number, context: CommandContext) => {
  context.signal.throwIfAborted();
  const counts = await readCounts(key, context, from, to - 1);
  const days = Map.groupBy(counts, ({ start }) => dayOf(start));
  return [...days].map(([day, ofDay]) => ({ day, plan: key.plan, ...sumUsage(ofDay, key) }));
};

const addUsages = (usages: readonly Usage[]): Usage => ({
  requests: usages.reduce((sum, { requests }) => sum + requests, 0),
  rateLimited: usages.reduce((sum, { rateLimited }) => sum + rateLimited, 0),
  units: usages.reduce((sum, { units }) => sum + units, 0),
});

/** Name and customer come from the newest key, and the plans from every key with requests, as they are now. */
const toLine = (group: Group, days: Awaited<ReturnType<typeof readDays>>) => {
  const [first] = group;
  const { customer = null, name, plan } = group.at(-1) ?? first;
  const plans = new Set(days.map((day) => day.plan));
  const byDay = [...Map.groupBy(days, ({ day }) => day)].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    id: first.id,
    customer,
    name,
    plan: plans.size === 0 ? plan : [...plans].join(', '),
    keyIds: group.map(({ id }) => id),
    ...addUsages(days),
    days: byDay.map(([day, usages]) => ({ day, ...addUsages(usages) })),
  };
};

type Line = ReturnType<typeof toLine>;

/** A row for each line and day with requests, for spreadsheets: they need the byte order mark, and run formulas. */
const csvOf = (lines: readonly Line[]): string =>
  stringify(
    lines.flatMap((line) => line.days.map((day) => ({ ...line, ...day }))),
    {
      bom: true,
      header: true,
      columns: [
        ...['id', 'name', 'plan', 'day', 'requests'],
        { key: 'rateLimited', header: 'rate_limited' },
        ...['units', 'customer'],
      ],
      record_delimiter: 'windows',
      escape_formulas: true,
    },
  );

const monthTable = (lines: readonly Line[], month: string, byCustomer: boolean): string => {
  const used = lines.filter(({ requests }) => requests > 0);
  const rows = used.map(({ id, customer, name, plan, ...usage }) => [
    `${byCustomer && customer !== null ? printable(customer, NAME_WIDTH) : id}\n${printable(name, NAME_WIDTH)}`,
    printable(plan, PLAN_WIDTH),
    ...toCells(usage),
  ]);
  const table = readableTable([byCustomer ? 'customer or id\nname' : 'id\nname', 'plan', ...COUNT_HEADS], rows);
  return `${table}${byCustomer ? 'Customers' : 'Keys'} with requests in ${month}: ${used.length} of ${lines.length}.\n`;
};

export const monthlyUsage = async (
  id: string | undefined,
  month: string,
  { csv, byCustomer = false }: MonthOptions,
  context: CommandContext,
): Promise<CommandResult> => {
  const { from, to } = reportedPeriod(month, context);
  const groups = await readGroups(id, byCustomer, context);
  const limit = pLimit(MAX_QUERIES);
  const readLine = async (group: Group) =>
    toLine(group, (await limit.map(group, (key) => readDays(key, from, to, context))).flat());
  const lines = await Promise.all(groups.map(readLine));
  if (csv !== undefined) await writeOutput(csv, [csvOf(lines)], { signal: context.signal });
  const textOf = (line: Line): string => {
    const [requests, rateLimited, units] = toCells(line);
    const sentence = `${requests} requests in ${month}, ${rateLimited} rate limited, ${units} units.`;
    const owner = byCustomer && line.customer !== null ? `Customer ${line.customer}` : `Key ${line.id}`;
    const days = line.days.map((day) => [day.day, day] as const);
    return usageText(owner, line, sentence, 'day', days);
  };
  const [only] = id === undefined ? [] : lines;
  return {
    text: only === undefined ? monthTable(lines, month, byCustomer) : textOf(only),
    ...(csv !== undefined && { notes: `The days are in ${csv}\n` }),
    data: { month, from: dayOf(from), to: dayOf(to - 1), keys: lines, file: csv ?? null },
  };
};
