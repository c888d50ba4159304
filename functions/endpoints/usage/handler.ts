import { readAllowance } from '../../../core/access/allowance.ts';
import { firstHour, usageReport } from '../../../core/access/usage-report.ts';
import { usageTable } from '../../../core/access/usage-table.ts';
import { database } from '../../../core/aws/database.ts';
import { apiChain } from '../../http/api-chain.ts';
import { authBeyondAllowance } from '../../http/auth.ts';
import { jsonResponse } from '../../http/json-response.ts';
import { tableNamesOf } from '../../http/table-names.ts';
import { noInput, validation } from '../../http/validation.ts';
import { endpoint } from './endpoint.ts';

const usage = usageTable(database(), tableNamesOf(endpoint).usage);

export const handler = apiChain(endpoint)
  .use(authBeyondAllowance(endpoint))
  .use(validation(noInput))
  .handler(async (_event, { caller, now }) => {
    const [counts, allowance] = await Promise.all([
      usage.counts(caller.key.id, firstHour(now)),
      readAllowance(usage, caller.key, caller.plan, now),
    ]);
    return jsonResponse(endpoint.successStatus, usageReport(caller, counts, allowance, now));
  });
