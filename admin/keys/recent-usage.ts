import { MAX_COUNTED_MULTIPLE } from '../../core/access/authenticate.ts';
import { planOf } from '../../core/access/key-record.ts';
import { windowAt } from '../../core/access/plans.ts';
import { firstHour, type Usage, usageHours } from '../../core/access/usage-report.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import type { CommandResult } from '../command/command-result.ts';
import { formatNumber, printable } from '../command/format.ts';
import { readableTable } from '../command/readable-table.ts';
import { type CommandContext, tableName } from '../deployment/deployment.ts';
import { isValidAt, openKeys } from './keys.ts';

/** Characters of a name on a line of its own. */
const LINE_WIDTH = 79;

export const keyHeading = ({ id, name, plan }: Readonly<Record<'id' | 'name' | 'plan', string>>): string =>
  `Key ${id}, plan ${plan}\n${printable(name, LINE_WIDTH)}\n`;

export const usageCells = ({ requests, rateLimited, units }: Usage) => [requests, rateLimited, units].map(formatNumber);

/** A line for each hour or day with requests. */
export const usageLines = (noun: 'hour' | 'day', rows: readonly (Usage & { readonly label: string })[]): string =>
  readableTable(
    [`${noun}, UTC`, 'requests', 'rate limited', 'units'],
    rows.filter(({ requests }) => requests > 0).map(({ label, ...usage }) => [label, ...usageCells(usage)]),
  );

/** Requests of a key in the current window and the last 24 hours, counted like `GET /v1/usage`. */
export const keyUsage = async (id: string, context: CommandContext): Promise<CommandResult> => {
  const usage = usageTable(context.deployment.db, tableName(context.deployment, 'usage'));
  const now = context.now();
  const window = windowAt(now);
  const [key, all] = await Promise.all([openKeys(context).get(id), usage.counts(id, firstHour(now))]);
  const counts = all.filter(({ start }) => isValidAt(key, start));
  const count = counts.find(({ start }) => start === window.start)?.used ?? 0;
  const limit = planOf(context.deployment.plans, key).requestsPerWindow;
  const requests = count < MAX_COUNTED_MULTIPLE * limit ? `${count}` : `at least ${count}`;
  const until = new Date(window.end * 1_000).toISOString();
  const hours = usageHours(counts, key, now);
  const lines = usageLines(
    'hour',
    hours.map((hour) => ({ ...hour, label: hour.start.slice(0, 'YYYY-MM-DDTHH:MM'.length) })),
  );
  return {
    text: `${keyHeading(key)}${requests} of ${limit} requests in the window that ends at ${until}.\n\n${lines}`,
    data: { id, plan: key.plan, count, limit, reset: window.end, hours },
  };
};
