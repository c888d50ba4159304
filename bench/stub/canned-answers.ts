import { marshall } from '@aws-sdk/util-dynamodb';
import { hashKey, keyIdOf } from '../../functions/access/api-key.ts';
import { type KeyRecord, SCOPES } from '../../functions/access/keys-table.ts';
import { sampleVehicleRecords } from '../../lib/local/sample-records.ts';
import { STUB_TABLES } from './table-names.ts';

/** Requests that the counter says there were in the window: far below any plan's limit, whatever is really sent. */
const USED = 7;

/** DynamoDB's JSON to each of the three requests of an insurance look-up of AB12CDE with this key. */
export const cannedAnswers = (key: string, now: Date): Readonly<Record<string, string>> => {
  const hash = hashKey(key);
  const record: KeyRecord = {
    id: keyIdOf(hash),
    hash,
    name: 'Benchmark',
    plan: 'premium',
    scopes: SCOPES,
    createdAt: now.toISOString(),
  };
  const vehicle = sampleVehicleRecords(now).find(({ registration }) => registration === 'AB12CDE');
  return {
    [`GetItem ${STUB_TABLES.keys}`]: JSON.stringify({ Item: marshall(record) }),
    [`UpdateItem ${STUB_TABLES.usage}`]: JSON.stringify({ Attributes: { used: { N: String(USED) } } }),
    [`GetItem ${STUB_TABLES.vehicles}`]: JSON.stringify({ Item: marshall(vehicle) }),
  };
};
