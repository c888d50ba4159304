/**
 * An insurance look-up as each framework's peer does it: the product's own rules, and the ordinary SDK client. What the
 * product has besides is left out, in the peers' favour: scopes, expiry, deadlines, problem documents, log and metrics.
 */
import { timingSafeEqual } from 'node:crypto';
import { DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { hashKey, isWellFormedKey, keyIdOf } from '../../functions/access/api-key.ts';
import type { KeyRecord } from '../../functions/access/keys-table.ts';
import { PLANS } from '../../functions/access/plans.ts';
import { type Window, windowAt } from '../../functions/access/window.ts';
import { londonDate } from '../../functions/runtime/clock.ts';
import { insuranceOn, isInsured } from '../../functions/vehicles/insurance.ts';
import type { VehicleRecord } from '../../functions/vehicles/record.ts';

const db = new DynamoDBClient({});
const { KEYS_TABLE, USAGE_TABLE, VEHICLES_TABLE } = process.env;

/** What a framework has to send. */
export interface Answer {
  readonly statusCode: 200 | 401 | 404 | 429;
  readonly headers: Record<string, string>;
  readonly body: object;
}

const findKey = async (id: string) => {
  const { Item } = await db.send(
    new GetItemCommand({ TableName: KEYS_TABLE, Key: { id: { S: id } }, ConsistentRead: true }),
  );
  return Item && (unmarshall(Item) as KeyRecord);
};

const raiseUsage = async (keyId: string, window: Window) => {
  const { Attributes } = await db.send(
    new UpdateItemCommand({
      TableName: USAGE_TABLE,
      Key: { keyId: { S: keyId }, windowStart: { N: String(window.start) } },
      UpdateExpression: 'ADD used :one SET expiresAt = if_not_exists(expiresAt, :expiresAt)',
      ExpressionAttributeValues: { ':one': { N: '1' }, ':expiresAt': { N: String(window.end + 3_600) } },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return Number(Attributes?.used?.N);
};

const findVehicle = async (registration: string) => {
  const { Item } = await db.send(
    new GetItemCommand({ TableName: VEHICLES_TABLE, Key: { registration: { S: registration } } }),
  );
  return Item && (unmarshall(Item) as VehicleRecord);
};

const refusal = (statusCode: 401 | 404 | 429, message: string, headers = {}): Answer => ({
  statusCode,
  headers,
  body: { message },
});

/** Key, counter and vehicle in one round trip, then the answer. `presented` is the header as it came. */
export const lookUp = async (presented: string | undefined, registration: string): Promise<Answer> => {
  if (presented === undefined || !isWellFormedKey(presented)) return refusal(401, 'no valid API key');
  const now = new Date();
  const window = windowAt(now);
  const hash = hashKey(presented);
  const [key, used, vehicle] = await Promise.all([
    findKey(keyIdOf(hash)),
    raiseUsage(keyIdOf(hash), window),
    findVehicle(registration.toUpperCase()),
  ]);
  if (!key || !timingSafeEqual(Buffer.from(key.hash), Buffer.from(hash))) return refusal(401, 'no valid API key');
  const limit = PLANS[key.plan].requestsPerWindow;
  const headers = {
    'content-type': 'application/json',
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(Math.max(0, limit - used)),
    'x-ratelimit-reset': String(window.end),
  };
  if (used > limit) return refusal(429, 'too many requests', headers);
  if (!vehicle) return refusal(404, 'no such vehicle', headers);
  const insurance = insuranceOn(londonDate(now), vehicle.policies);
  return {
    statusCode: 200,
    headers,
    body: {
      registration,
      insured: isInsured(insurance),
      policy: insurance.policy,
      vehicle: vehicle.vehicle,
      lastUpdated: vehicle.lastUpdated,
    },
  };
};
