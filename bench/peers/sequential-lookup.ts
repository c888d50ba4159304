/** The peer: the same three database calls and the same rules as bare code, each call awaited before the next. */
import { timingSafeEqual } from 'node:crypto';
import { hashKey, isWellFormedKey, keyIdOf } from '../../core/access/api-key.ts';
import { keyFinder } from '../../core/access/keys-table.ts';
import { PLANS, windowAt } from '../../core/access/plans.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import { database } from '../../core/dynamodb/database.ts';
import { londonDate } from '../../core/runtime/clock.ts';
import { tableNamesFromEnvironment } from '../../core/runtime/environment.ts';
import { insuranceStatus } from '../../core/vehicles/insurance.ts';
import { normaliseRegistration } from '../../core/vehicles/registration.ts';
import { vehiclesTable } from '../../core/vehicles/vehicles-table.ts';

interface Lookup {
  readonly headers: { readonly 'x-api-key'?: string };
  readonly pathParameters: { readonly registration: string };
  readonly requestContext: { readonly timeEpoch: number };
}

const names = tableNamesFromEnvironment(['keys', 'usage', 'vehicles']);
const findKey = keyFinder(database(), names.keys);
const usage = usageTable(database(), names.usage);
const vehicles = vehiclesTable(database(), names.vehicles);

export const handler = async ({ headers, pathParameters, requestContext }: Lookup) => {
  const now = new Date(requestContext.timeEpoch);
  const today = londonDate(now);
  const presented = headers['x-api-key'] ?? '';
  if (!isWellFormedKey(presented)) return { statusCode: 401 };
  const hash = hashKey(presented);
  const key = await findKey(keyIdOf(hash));
  const inForce =
    key !== undefined &&
    timingSafeEqual(Buffer.from(key.hash), Buffer.from(hash)) &&
    key.revokedAt === undefined &&
    (key.expires === undefined || today <= key.expires);
  if (!inForce) return { statusCode: 401 };
  if (!key.scopes.includes('vehicles:read')) return { statusCode: 403 };
  const used = await usage.increment(key.id, windowAt(now));
  if (used > PLANS[key.plan].requestsPerWindow) return { statusCode: 429 };
  const registration = normaliseRegistration(pathParameters.registration);
  if (registration === undefined) return { statusCode: 400 };
  const record = await vehicles.find(registration);
  if (record === undefined) return { statusCode: 404 };
  const { vehicle, lastUpdated } = record;
  return {
    statusCode: 200,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      ...insuranceStatus(pathParameters.registration, today, record.policies),
      vehicle,
      lastUpdated,
    }),
  };
};
