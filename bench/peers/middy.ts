/**
 * The insurance lookup by this API's rules, written as https://middy.js.org/docs/intro/getting-started does, with the
 * official middlewares of an HTTP API and the SDK as it is. Its errors have a status and no problem document. Types are
 * not checked in this folder, because the packages are missing.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpEventNormalizer from '@middy/http-event-normalizer';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpResponseSerializer from '@middy/http-response-serializer';
import httpSecurityHeaders from '@middy/http-security-headers';
import { createError } from '@middy/util';
import validator from '@middy/validator';
import { allowanceOf, allowanceUnits } from '../../core/access/allowance.ts';
import { authenticate, isWithinLimit, remainingOf } from '../../core/access/authenticate.ts';
import { keyFinder } from '../../core/access/key-record.ts';
import { DEFAULT_PLANS, windowAt } from '../../core/access/plans.ts';
import { requestCounter } from '../../core/access/request-counter.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import { problems } from '../../core/problems.ts';
import { londonDate } from '../../core/runtime/clock.ts';
import { tableNamesFromEnvironment } from '../../core/runtime/environment.ts';
import { logRequest, openLog } from '../../core/runtime/log.ts';
import { recentMap } from '../../core/runtime/recent-map.ts';
import { parseStored } from '../../core/schemas/record-schema.ts';
import { hasNoRecord } from '../../core/vehicles/erasure.ts';
import { insuranceAnswer } from '../../core/vehicles/insurance.ts';
import { normaliseRegistration } from '../../core/vehicles/registration.ts';
import { VehicleRecord } from '../../core/vehicles/vehicle-record.ts';
import { presentedKey } from '../../functions/http/api-key.ts';
import eventSchema from './schemas.ts?compiled';

openLog();
const db = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const tables = tableNamesFromEnvironment(['keys', 'usage', 'vehicles']);
const usage = usageTable(db, tables.usage);
const access = {
  findKey: keyFinder(db, tables.keys),
  counter: requestCounter(usage),
  units: allowanceUnits(usage),
  plans: DEFAULT_PLANS,
  seenInForce: recentMap(),
};
const json = { regex: /^application\/json$/, serializer: ({ body }) => JSON.stringify(body) };

const findVehicle = async (sent) => {
  const registration = normaliseRegistration(sent);
  if (registration === undefined) return undefined;
  const { Item } = await db.send(new GetCommand({ TableName: tables.vehicles, Key: { registration } }));
  return Item && !hasNoRecord(Item) ? parseStored(VehicleRecord, Item) : undefined;
};

/** Reads the key, counts the request and reads the vehicle: in parallel for a key that was seen before. */
const admission = () => ({
  before: async ({ event, context }) => {
    const key = presentedKey(event.headers);
    if (key === undefined) throw createError(401);
    context.caller = await authenticate(access, key, context, () => {
      context.vehicle = findVehicle(event.pathParameters.registration);
      // Nothing awaits it when the request is rejected.
      context.vehicle.catch(() => undefined);
    });
    const { caller, now } = context;
    const allowance = allowanceOf(caller.key, caller.plan, now);
    if (allowance !== undefined) await access.units.take(allowance, 1);
    if (!caller.key.scopes.includes('vehicles:read')) throw createError(403);
    if (!isWithinLimit(caller)) throw createError(429);
  },
  onError: (request) => {
    const { status } = problems[request.error.code] ?? {};
    if (status !== undefined) request.error = createError(status);
  },
});

const logAndHeaders = () => {
  const finish = ({ event, context, response }) => {
    const { caller, now, startedAtMs } = context;
    Object.assign(response.headers, {
      'x-ratelimit-limit': String(caller?.plan.requestsPerWindow ?? 0),
      'x-ratelimit-remaining': String(caller ? remainingOf(caller) : 0),
      'x-ratelimit-reset': String(windowAt(now).end),
    });
    logRequest({
      requestId: event.requestContext.requestId,
      endpoint: 'vehicle-insurance',
      status: response.statusCode,
      latencyMs: Math.round(performance.now() - startedAtMs),
      ...(caller && { keyId: caller.key.id, plan: caller.key.plan }),
      isForced: false,
      databaseError: false,
    });
  };
  return {
    before: ({ event, context }) => {
      const { timeEpoch, http } = event.requestContext;
      const now = new Date(timeEpoch);
      Object.assign(context, { startedAtMs: performance.now(), now, today: londonDate(now), sourceIp: http.sourceIp });
    },
    after: finish,
    onError: finish,
  };
};

export const handler = middy()
  .use(logAndHeaders())
  .use(httpEventNormalizer())
  .use(httpHeaderNormalizer())
  .use(httpSecurityHeaders())
  .use(httpResponseSerializer({ serializers: [json], defaultContentType: 'application/json' }))
  .use(httpErrorHandler({ logger: false }))
  .use(admission())
  .use(validator({ eventSchema }))
  .handler(async ({ pathParameters, queryStringParameters }, { vehicle, today }) => {
    const record = await vehicle;
    if (record === undefined) throw createError(404);
    const body = insuranceAnswer(pathParameters.registration, record, today, queryStringParameters.date);
    return { statusCode: 200, body };
  });
