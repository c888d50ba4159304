import { bulkEntries, bulkInsuranceAnswer, bulkInsuranceStatus } from '../../../core/bulk.ts';
import type { LondonDate } from '../../../core/runtime/clock.ts';
import { vehicleData } from '../../../core/sandbox/lookup-sources.ts';
import { apiChain } from '../../http/api-chain.ts';
import { answerScope, bulkAuth } from '../../http/auth.ts';
import { extraUnits, largestBulkSize, planBulkSize } from '../../http/bulk.ts';
import { compression } from '../../http/compression.ts';
import { dataset } from '../../http/dataset.ts';
import { jsonBody } from '../../http/json-body.ts';
import { jsonResponse } from '../../http/json-response.ts';
import { lookupLog } from '../../http/lookup-log.ts';
import { reference, withReference } from '../../http/reference.ts';
import { reportInternalError } from '../../http/request-log.ts';
import { sources } from '../../http/sources.ts';
import { validation } from '../../http/validation.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';

export const handler = apiChain(endpoint, compression())
  .use(dataset(endpoint, vehicleData))
  .use(sources(endpoint))
  .use(bulkAuth(endpoint))
  .use(jsonBody())
  .use(largestBulkSize())
  .use(validation(withReference(input)))
  .use(planBulkSize())
  .use(reference())
  .use(answerScope(({ body }: { readonly body: { readonly date?: LondonDate } }) => body.date))
  .use(extraUnits(endpoint))
  .use(lookupLog())
  .handler(async (_event, context) => {
    const { input, vehicles, today, deadline, isWholeAnswer, findSources, lookedUp } = context;
    const { registrations, date } = input.body;
    const { entries, distinct } = bulkEntries(registrations);
    lookedUp.entries = entries;
    const records = await vehicles.findMany(distinct, deadline);
    if (records.failure !== undefined) reportInternalError(context, records.failure);
    const found = date === undefined ? await findSources() : undefined;
    const answer = bulkInsuranceAnswer(entries, records, { today, asOf: date, sources: found });
    lookedUp.results = answer.results;
    lookedUp.asOf = date;
    return jsonResponse(endpoint.successStatus, isWholeAnswer ? answer : bulkInsuranceStatus(answer));
  });
