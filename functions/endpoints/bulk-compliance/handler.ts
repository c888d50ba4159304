import { bulkComplianceAnswer, bulkEntries } from '../../../core/bulk.ts';
import { checksFrom } from '../../../core/checks.ts';
import { optionalVariable } from '../../../core/runtime/environment.ts';
import { complianceData } from '../../../core/sandbox/lookup-sources.ts';
import { apiChain } from '../../http/api-chain.ts';
import { bulkAuth } from '../../http/auth.ts';
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

const checks = checksFrom(optionalVariable('CHECKS'));

export const handler = apiChain(endpoint, compression())
  .use(dataset(endpoint, complianceData))
  .use(sources(endpoint))
  .use(bulkAuth(endpoint))
  .use(jsonBody())
  .use(largestBulkSize())
  .use(validation(withReference(input)))
  .use(planBulkSize())
  .use(reference())
  .use(extraUnits(endpoint))
  .use(lookupLog())
  .handler(async (_event, context) => {
    const { input, compliance, now, today, deadline, findSources, lookedUp } = context;
    const { entries, distinct } = bulkEntries(input.body.registrations);
    lookedUp.entries = entries;
    const records = await compliance.findManyWithVehicles(distinct, deadline);
    if (records.failure !== undefined) reportInternalError(context, records.failure);
    const request = { now, today, checks, sources: await findSources() };
    const answer = bulkComplianceAnswer(entries, records, request);
    lookedUp.results = answer.results;
    return jsonResponse(endpoint.successStatus, answer);
  });
