import { type Command, InvalidArgumentError, Option } from 'commander';
import { stringify } from 'csv-stringify/sync';
import pLimit from 'p-limit';
import { MAX_COUNTED_MULTIPLE } from '../../core/access/authenticate.ts';
import { planOf } from '../../core/access/key-record.ts';
import { windowAt } from '../../core/access/plans.ts';
import { firstHour, type Usage, usageHours } from '../../core/access/usage-report.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { exampleOf, formatNumber } from '../command/format.ts';
import { showProgress } from '../command/progress.ts';
import { readableTable } from '../command/readable-table.ts';
import { type CommandContext, type Runner, tableName } from '../deployment/deployment.ts';
import { writeOutput } from '../files/output-file.ts';
import { beganBeforeEnd, openKeys, requireKeyId } from './keys.ts';
import { NAME_WIDTH, PLAN_WIDTH, shortened } from './list-keys.ts';
import {
  DAY_SECONDS,
  dayOf,
  type KeyMonth,
  keyMonth,
  NO_USAGE,
  type Period,
  readChains,
  reportedPeriod,
} from './monthly-usage.ts';

/** Concurrent queries. Each holds a page of up to 1 MB; a key that is busy every minute has 4 MB a month. */
const MAX_QUERIES = 20;
/** Characters of the longest line of a chart, and of the longest bar that leaves room for the figures. */
const LINE_WIDTH = 80;
const MAX_BAR_WIDTH = 50;

interface UsageOptions {
  readonly month?: string;
  readonly csv?: string;
  readonly successors?: boolean;
}

const parseMonth = (text: string): string => {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('Use a month of the form YYYY-MM.');
};

const usageCells = ({ requests, rateLimited, units }: Usage) => [requests, rateLimited, units].map(formatNumber);

const barChart = (noun: string, rows: readonly (Usage & { readonly label: string })[]): string => {
  const most = Math.max(...rows.map(({ requests }) => requests));
  if (most === 0) return '';
  const figures = rows.map(({ label, ...usage }) => [label, ...usageCells(usage)]);
  const head = [`${noun}, UTC`, 'requests', 'rate limited', 'units'];
  const widths = head.map((title, column) =>
    Math.max(...[title, ...figures.map((row) => row[column] ?? '')].map(({ length }) => length + 2)),
  );
  const barWidth = Math.min(MAX_BAR_WIDTH, LINE_WIDTH - widths.reduce((sum, width) => sum + width));
  const bars = rows.map(({ requests }) => '█'.repeat(Math.ceil((requests / most) * barWidth)));
  return `\n${readableTable(
    [...head, ''],
    figures.map((row, nth) => [...row, bars[nth] ?? '']),
  )}`;
};

/** Lines of at most 80 characters. */
const keyHeading = ({ id, name, plan }: Pick<KeyMonth, 'id' | 'name' | 'plan'>): string =>
  `Key ${id}, plan ${plan}\n${shortened(name, LINE_WIDTH)}\n`;

/** Requests of a key in the current window and the last 24 hours, counted like `GET /v1/usage`. */
const keyUsage = async (text: string, context: CommandContext): Promise<CommandResult> => {
  const id = requireKeyId(text);
  const usage = usageTable(context.deployment.db, tableName(context.deployment, 'usage'));
  const now = context.now();
  const window = windowAt(now);
  const [key, all] = await Promise.all([openKeys(context).get(id), usage.countsSince(id, firstHour(now))]);
  const { plan } = key;
  const counts = all.filter(({ start }) => beganBeforeEnd(key, start));
  const count = counts.find(({ start }) => start === window.start)?.used ?? 0;
  const limit = planOf(context.deployment.plans, key).requestsPerWindow;
  const requests = count < MAX_COUNTED_MULTIPLE * limit ? `${count}` : `at least ${count}`;
  const until = new Date(window.end * 1_000).toISOString();
  const hours = usageHours(counts, key, now);
  const chart = barChart(
    'hour',
    hours.map((hour) => ({ ...hour, label: hour.start.slice(11, 16) })),
  );
  return {
    text: `${keyHeading(key)}${requests} of ${limit} requests in the window that ends at ${until}.\n${chart || 'No requests in the last 24 hours.\n'}`,
    data: { id, plan, count, limit, reset: window.end, hours },
  };
};

/** Formulas are escaped as in the client's results, because spreadsheet programs would run them. */
const CSV_FORM = { record_delimiter: 'windows', escape_formulas: true } as const;

/** One row per key and day with requests. The byte order mark tells Excel that it is UTF-8. */
function* csvLines(keys: readonly KeyMonth[]): Generator<string> {
  yield '\uFEFFid,name,plan,day,requests,rate_limited,units\r\n';
  for (const { id, name, plan, days } of keys) {
    yield stringify(
      days.map((usage) => ({ id, name, plan, ...usage })),
      { columns: ['id', 'name', 'plan', 'day', 'requests', 'rateLimited', 'units'], ...CSV_FORM },
    );
  }
}

const monthChart = ({ days, ...key }: KeyMonth, { from, to }: Period, month: string) => {
  const byDay = new Map(days.map((day) => [day.day, day]));
  const labels = Array.from({ length: (to - from) / DAY_SECONDS }, (_, index) => dayOf(from + index * DAY_SECONDS));
  const rows = labels.map((label) => ({ label, ...(byDay.get(label) ?? NO_USAGE) }));
  const [requests, rateLimited, units] = usageCells(key);
  const count = `${requests} requests in ${month}, ${rateLimited} rate limited, ${units} units`;
  return `${keyHeading(key)}${count}.\n${barChart('day', rows)}`;
};

const monthTable = (keys: readonly KeyMonth[], month: string): string => {
  const used = keys.filter(({ requests }) => requests > 0);
  const rows = used.map(({ id, name, plan, ...usage }) => [
    `${id}\n${shortened(name, NAME_WIDTH)}`,
    shortened(plan, PLAN_WIDTH),
    ...usageCells(usage),
  ]);
  const head = ['id\nname', 'plan', 'requests', 'rate limited', 'units'];
  const table = used.length > 0 ? readableTable(head, rows) : '';
  return `${table}Keys with requests in ${month}: ${used.length} of ${keys.length}.\n`;
};

/** Requests of one or every key in a month. @throws UnknownApiKey; CommandFailure when nothing is left of the month */
const monthlyUsage = async (
  id: string | undefined,
  month: string,
  { csv, successors = false }: UsageOptions,
  context: CommandContext,
): Promise<CommandResult> => {
  const period = reportedPeriod(month, context);
  const chains = await readChains(id, successors, context);
  const progress = showProgress(context, 'keys', chains.length);
  let done = 0;
  const keys = await pLimit(MAX_QUERIES)
    .map(chains, async (chain) => {
      context.signal.throwIfAborted();
      const report = await keyMonth(chain, period, context);
      done += 1;
      progress.update(done, { rows: done });
      return report;
    })
    .finally(progress.stop);
  if (csv !== undefined) await writeOutput(csv, csvLines(keys), { signal: context.signal });
  const [only] = id === undefined ? [] : keys;
  return {
    text: only === undefined ? monthTable(keys, month) : monthChart(only, period, month),
    ...(csv !== undefined && { notes: `The days of each key are in ${csv}\n` }),
    data: { month, from: dayOf(period.from), to: dayOf(period.to - 1), keys, file: csv ?? null },
  };
};

/** Adds `keys usage`. */
export const addKeyUsage = (keys: Command, run: Runner): void => {
  keys
    .command('usage')
    .description('requests and units of a key in the last 24 hours, or of a key or every key per day of a month (UTC)')
    .argument('[id]', 'id of the key; every key without it, with --month')
    .addOption(new Option('--month <month>', 'month, YYYY-MM').argParser(parseMonth))
    .option('--csv <file>', 'with --month: also write a row per key and day; an existing file is replaced')
    .option('--successors', 'with --month: count a rotated key and those after it as one')
    .addHelpText('after', exampleOf('keys usage --month 2026-01 --csv usage.csv'))
    .action((id: string | undefined, options: UsageOptions) =>
      run((context) => {
        if (options.month !== undefined) return monthlyUsage(id, options.month, options, context);
        if (options.csv !== undefined || options.successors) {
          throw new CommandFailure('--csv and --successors belong to a month: name it with --month YYYY-MM');
        }
        if (id === undefined) throw new CommandFailure('the id of a key is missing, or --month; see --help');
        return keyUsage(id, context);
      }),
    );
};
