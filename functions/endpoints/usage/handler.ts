import { firstHour, usageReport } from '../../../core/access/usage-report.ts';
import { usageTable } from '../../../core/access/usage-table.ts';
import { serve } from '../../http/serve.ts';
import { endpoint } from './endpoint.ts';

/** The caller's key, limits and requests of the last 24 hours. docs/contract.md#usage */
export const handler = serve({ endpoint }, ({ db, tables }) => {
  const usage = usageTable(db, tables.usage);
  return {
    respond: async ({ caller, now }) => ({
      body: usageReport(caller, await usage.countsSince(caller.key.id, firstHour(now)), now),
    }),
  };
});
