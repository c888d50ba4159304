import { bulkEntries, bulkInsuranceAnswer } from '../../../core/bulk.ts';
import { vehicleData } from '../../../core/sandbox/lookup-sources.ts';
import { serve } from '../../http/stack.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';

export const handler = serve(
  { endpoint, data: vehicleData, input },
  async ({ input: { body }, vehicles, today, deadline }) => {
    const { entries, distinct } = bulkEntries(body.registrations);
    const records = await vehicles.findMany(distinct, deadline);
    return { body: bulkInsuranceAnswer(entries, records, today, body.date), failure: records.failure };
  },
);
