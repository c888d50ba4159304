import { COUNTED_LIMITS } from '../../../core/access/admission.ts';
import { PLANS, windowAt } from '../../../core/access/plans.ts';
import { firstHour, type Usage, usageHours } from '../../../core/access/usage-report.ts';
import { usageTable } from '../../../core/access/usage-table.ts';
import type { CommandResult } from '../command/outcome.ts';
import { formatNumber } from '../command/printable.ts';
import { readableTable } from '../command/readable-table.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { keysOf, requireKeyId } from './keys.ts';

/** Characters of the longest bar. */
const BAR_WIDTH = 50;

/** A bar per row; nothing where no row has requests. */
export const barChart = (unit: string, rows: readonly (Usage & { readonly label: string })[]): string => {
  const most = Math.max(...rows.map(({ requests }) => requests));
  if (most === 0) return '';
  const cells = rows.map(({ label, requests, rateLimited }) => [
    label,
    formatNumber(requests),
    formatNumber(rateLimited),
    '█'.repeat(Math.ceil((requests / most) * BAR_WIDTH)),
  ]);
  return `\n${readableTable([`${unit}, UTC`, 'requests', 'rate limited', ''], cells)}`;
};

/** Requests of a key in the current window and in the last 24 hours, counted like `GET /v1/usage`. @throws CommandFailure when no key has the id */
export const keyUsage = async (text: string, context: CommandContext): Promise<CommandResult> => {
  const id = requireKeyId(text);
  const usage = usageTable(context.deployment.db, context.deployment.tableNames.usage);
  const now = context.now();
  const window = windowAt(now);
  const [{ name, plan }, counts] = await Promise.all([keysOf(context).get(id), usage.countsSince(id, firstHour(now))]);
  const count = counts.find(({ start }) => start === window.start)?.used ?? 0;
  const limit = PLANS[plan].requestsPerWindow;
  const requests = count < COUNTED_LIMITS * limit ? `${count}` : `at least ${count}`;
  const until = new Date(window.end * 1_000).toISOString();
  const hours = usageHours(counts, PLANS[plan], now);
  const chart = barChart(
    'hour',
    hours.map((hour) => ({ ...hour, label: hour.start.slice(11, 16) })),
  );
  return {
    text: `Key ${id} (${name}, ${plan}): ${requests} of ${limit} requests in the window that ends at ${until}.\n${chart || 'No requests in the last 24 hours.\n'}`,
    data: { id, plan, count, limit, reset: window.end, hours },
  };
};
