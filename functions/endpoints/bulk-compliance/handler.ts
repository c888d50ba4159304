import { bulkComplianceAnswer, bulkEntries } from '../../../core/bulk.ts';
import { complianceData } from '../../../core/sandbox/lookup-sources.ts';
import { serve } from '../../http/stack.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';

export const handler = serve(
  { endpoint, data: complianceData, input },
  async ({ input: { body }, compliance, now, today, deadline }) => {
    const { entries, distinct } = bulkEntries(body.registrations);
    const records = await compliance.findManyWithVehicles(distinct, deadline);
    return { body: bulkComplianceAnswer(entries, records, now, today), failure: records.failure };
  },
);
