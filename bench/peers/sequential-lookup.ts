/** The peer: the same three database calls as bare code, each awaited before the next, and the insurance status of the vehicle. */
import { hashKey, keyIdOf } from '../../core/access/api-key.ts';
import { keyFinder } from '../../core/access/keys-table.ts';
import { windowAt } from '../../core/access/plans.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import { database } from '../../core/dynamodb/database.ts';
import { londonDate } from '../../core/runtime/clock.ts';
import { tableNamesFromEnvironment } from '../../core/runtime/environment.ts';
import { insuranceStatus } from '../../core/vehicles/insurance.ts';
import { vehiclesTable } from '../../core/vehicles/vehicles-table.ts';

interface Lookup {
  readonly headers: { readonly 'x-api-key': string };
  readonly pathParameters: { readonly registration: string };
  readonly requestContext: { readonly timeEpoch: number };
}

const names = tableNamesFromEnvironment(['keys', 'usage', 'vehicles']);
const findKey = keyFinder(database(), names.keys);
const usage = usageTable(database(), names.usage);
const vehicles = vehiclesTable(database(), names.vehicles);

export const handler = async ({ headers, pathParameters: { registration }, requestContext }: Lookup) => {
  const now = new Date(requestContext.timeEpoch);
  const key = await findKey(keyIdOf(hashKey(headers['x-api-key'])));
  if (key === undefined) return { statusCode: 401 };
  await usage.increment(key.id, windowAt(now));
  const record = await vehicles.find(registration);
  if (record === undefined) return { statusCode: 404 };
  const { policies, vehicle, lastUpdated } = record;
  const answer = { ...insuranceStatus(registration, londonDate(now), policies), vehicle, lastUpdated };
  return { statusCode: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(answer) };
};
