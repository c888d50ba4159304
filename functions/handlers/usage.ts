import { firstHour, usageReport } from '../../core/access/usage-report.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import { endpoint } from '../http/endpoint.ts';

/** The caller's key, limits and requests of the last 24 hours. docs/contract.md#usage */
export const handler = endpoint('usage', ({ db, tables }) => {
  const usage = usageTable(db, tables.usage);
  return async ({ caller, now }) => ({
    body: usageReport(caller, await usage.countsSince(caller.key.id, firstHour(now)), now),
  });
});
