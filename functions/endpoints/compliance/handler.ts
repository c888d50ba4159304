import { checksFrom } from '../../../core/checks.ts';
import { lookUpCompliance } from '../../../core/lookup.ts';
import { optionalVariable } from '../../../core/runtime/environment.ts';
import { type ComplianceData, complianceData } from '../../../core/sandbox/lookup-sources.ts';
import { type RegistrationInPath, registrationInPath } from '../../../core/vehicles/registration.ts';
import { apiChain } from '../../http/api-chain.ts';
import { auth, preload } from '../../http/auth.ts';
import { dataset } from '../../http/dataset.ts';
import { jsonResponse } from '../../http/json-response.ts';
import { lookupLog } from '../../http/lookup-log.ts';
import { reference, withReference } from '../../http/reference.ts';
import type { RequestContext } from '../../http/request.ts';
import { sources } from '../../http/sources.ts';
import { noInput, pathParameters, validation } from '../../http/validation.ts';
import { endpoint } from './endpoint.ts';

const checks = checksFrom(optionalVariable('CHECKS'));

type Named = RequestContext & ComplianceData & RegistrationInPath;

export const handler = apiChain(endpoint)
  .use(dataset(endpoint, complianceData))
  .use(pathParameters(registrationInPath))
  .use(
    preload(({ compliance, registration, deadline }: Named) => compliance.findWithVehicle(registration.key, deadline)),
  )
  .use(sources(endpoint))
  .use(auth(endpoint))
  .use(validation(withReference(noInput)))
  .use(reference())
  .use(lookupLog())
  .handler(async (_event, { registration, preloaded, now, today, findSources, lookedUp }) => {
    const records = await preloaded;
    const answer = lookUpCompliance(registration, records, { now, today, checks, sources: await findSources() });
    lookedUp.results = [answer];
    return jsonResponse(endpoint.successStatus, answer);
  });
