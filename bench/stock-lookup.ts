/**
 * The insurance lookup by this API's rules, on the SDK as it is; the peer brings the rest. Not in `peers`, where types
 * are not checked, because the packages are missing.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { allowanceOf, allowanceUnits } from '../core/access/allowance.ts';
import { type Access, authenticate, type Caller, isWithinLimit, remainingOf } from '../core/access/authenticate.ts';
import { keyFinder } from '../core/access/key-record.ts';
import { DEFAULT_PLANS, secondsUntilReset, windowAt } from '../core/access/plans.ts';
import { recentMap, requestCounter } from '../core/access/request-counter.ts';
import { usageTable } from '../core/access/usage-table.ts';
import * as problems from '../core/problems.ts';
import { ANSWERABLE_DATE, londonDate } from '../core/runtime/clock.ts';
import { tableNamesFromEnvironment } from '../core/runtime/environment.ts';
import { parseStored } from '../core/schemas/record-schema.ts';
import { hasNoRecord } from '../core/vehicles/erasure.ts';
import { insuranceAnswer } from '../core/vehicles/insurance.ts';
import { normaliseRegistration, registrationInPath } from '../core/vehicles/registration.ts';
import { suggestionFor } from '../core/vehicles/suggestion.ts';
import { VehicleRecord } from '../core/vehicles/vehicle-record.ts';
import { presentedKey } from '../functions/http/api-key.ts';

const db = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const tables = tableNamesFromEnvironment(['keys', 'usage', 'vehicles']);
const usage = usageTable(db, tables.usage);
const access: Access = {
  findKey: keyFinder(db, tables.keys),
  counter: requestCounter(usage),
  units: allowanceUnits(usage),
  plans: DEFAULT_PLANS,
  seenInForce: recentMap(),
};

const findVehicle = async (sent: string): Promise<VehicleRecord | undefined> => {
  const registration = normaliseRegistration(sent);
  if (registration === undefined) return undefined;
  const { Item } = await db.send(new GetCommand({ TableName: tables.vehicles, Key: { registration } }));
  return Item && !hasNoRecord(Item) ? parseStored(VehicleRecord, Item) : undefined;
};

/** One request. What is found about it is added. */
export interface Lookup {
  readonly event: APIGatewayProxyEventV2;
  readonly startedAtMs: number;
  readonly now: Date;
  readonly today: string;
  readonly sourceIp: string;
  caller?: Caller;
  vehicle?: Promise<VehicleRecord | undefined>;
  /** The code of the problem with which it is answered. */
  code?: string;
}

export const openLookup = (event: APIGatewayProxyEventV2): Lookup => {
  const { timeEpoch, http } = event.requestContext;
  const now = new Date(timeEpoch);
  return { event, startedAtMs: performance.now(), now, today: londonDate(now), sourceIp: http.sourceIp };
};

/**
 * Reads the key, counts the request and reads the vehicle: in parallel for a key that was seen before.
 * @param sent the registration, which need not be valid
 * @throws UNAUTHORIZED, ADDRESS_FORBIDDEN, SCOPE_MISSING, RATE_LIMITED
 */
export const admit = async (lookup: Lookup, sent = ''): Promise<void> => {
  const key = presentedKey(lookup.event.headers);
  if (key === undefined) throw problems.unauthorized();
  const caller = await authenticate(access, key, lookup, () => {
    lookup.vehicle = findVehicle(sent);
    // Nothing awaits it when the request is rejected.
    lookup.vehicle.catch(() => undefined);
  });
  lookup.caller = caller;
  const allowance = allowanceOf(caller.key, caller.plan, lookup.now);
  if (allowance !== undefined) await access.units.take(allowance, 1);
  if (!caller.key.scopes.includes('vehicles:read')) throw problems.scopeMissing('vehicles:read');
  if (isWithinLimit(caller)) return;
  throw problems.rateLimited(caller.plan.requestsPerWindow, secondsUntilReset(lookup.now));
};

export const limitHeaders = ({ caller, now }: Lookup): Record<string, string> => ({
  'x-ratelimit-limit': String(caller?.plan.requestsPerWindow ?? 0),
  'x-ratelimit-remaining': String(caller ? remainingOf(caller) : 0),
  'x-ratelimit-reset': String(windowAt(now).end),
});

/** The problem of a request that a validator has rejected. */
export const invalid = (sent = '') => {
  const path = registrationInPath({ registration: sent });
  if (path instanceof problems.ApiError) return path;
  return problems.validationFailed([{ parameter: 'date', detail: `must be ${ANSWERABLE_DATE}` }]);
};

/** @throws VEHICLE_NOT_FOUND */
export const answer = async ({ vehicle, today }: Lookup, sent = '', date?: string) => {
  const record = await vehicle;
  if (record) return insuranceAnswer(sent, record, today, date);
  const registration = normaliseRegistration(sent);
  throw problems.vehicleNotFound(registration && suggestionFor(registration, today));
};

/** The problem document of an error, and its headers. */
export const problemDocument = (lookup: Lookup, error: unknown) => {
  const known = error instanceof problems.ApiError ? error : problems.internalError();
  const { code, message: detail, issues: errors, extension, headers } = known;
  const { title, status } = problems.problems[code];
  const { requestId } = lookup.event.requestContext;
  lookup.code = code;
  return {
    status,
    headers: { ...headers, 'content-type': 'application/problem+json' },
    body: { type: problems.problemType(code), title, status, detail, code, requestId, errors, ...extension },
  };
};

/** The fields of the log line. */
export const logFields = ({ event, code, caller, startedAtMs }: Lookup, status: number) => ({
  requestId: event.requestContext.requestId,
  endpoint: 'vehicle-insurance',
  status,
  latencyMs: Math.round(performance.now() - startedAtMs),
  ...(code && { code }),
  ...(caller && { keyId: caller.key.id, plan: caller.key.plan }),
  isForced: false,
  databaseError: false,
});
