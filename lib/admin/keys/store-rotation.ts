import { KeyRecord } from '../../../core/access/keys-table.ts';
import type { Item } from '../../../core/dynamodb/database.ts';
import { type TransactWrite, transact } from '../../../core/dynamodb/transact.ts';
import { deadlineIn } from '../../../core/runtime/deadline.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { keysOf } from './keys.ts';

/** Milliseconds for the transaction and its retries. */
const ROTATION_MS = 20_000;

/** How the rotation ends the old key: at once, or after a last day. */
export type EndOfKey = Required<Pick<KeyRecord, 'revokedAt'>> | Required<Pick<KeyRecord, 'expires'>>;

const FIELDS = Object.keys(KeyRecord.properties) as (keyof KeyRecord)[];

/** The parts of a condition expression that require a field to have this value, with their attribute values. */
const hasValue = (field: keyof KeyRecord, value: unknown): readonly (readonly [part: string, values: Item])[] => {
  if (value === undefined) return [[`attribute_not_exists(#${field})`, {}]];
  if (!Array.isArray(value)) return [[`#${field} = :${field}`, { [`:${field}`]: value }]];
  // Element by element, because the embedded engine cannot compare lists.
  return [
    [`size(#${field}) = :${field}Size`, { [`:${field}Size`]: value.length }],
    ...value.map((one, at) => [`#${field}[${at}] = :${field}${at}`, { [`:${field}${at}`]: one }] as const),
  ];
};

/** The condition that no field has changed since it was read. Rotation and revocation add a field. */
const isAsRead = (read: KeyRecord) => {
  const parts = FIELDS.flatMap((field) => hasValue(field, read[field]));
  return {
    condition: parts.map(([part]) => part).join(' AND '),
    names: Object.fromEntries(FIELDS.map((field) => [`#${field}`, field])),
    values: Object.assign({}, ...parts.map(([, values]) => values)) as Item,
  };
};

const endOldKey = (TableName: string, old: KeyRecord, end: EndOfKey, successor: string): TransactWrite => {
  const { condition, names, values } = isAsRead(old);
  const changes = Object.entries({ ...end, successor });
  return {
    Update: {
      TableName,
      Key: { id: old.id },
      ConditionExpression: condition,
      UpdateExpression: `SET ${changes.map(([field]) => `#${field} = :new_${field}`).join(', ')}`,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: {
        ...values,
        ...Object.fromEntries(changes.map(([field, value]) => [`:new_${field}`, value])),
      },
    },
  };
};

const addSuccessor = (TableName: string, record: KeyRecord): TransactWrite => ({
  Put: { TableName, Item: record as unknown as Item, ConditionExpression: 'attribute_not_exists(id)' },
});

/**
 * Stores a successor and ends the old key, in one transaction. If its response is lost, it counts as committed when the
 * stored successor has the same hash: keys are random.
 * @returns false, with nothing written, when the old key has changed since it was read
 */
export const storeRotation = async (
  old: KeyRecord,
  end: EndOfKey,
  successor: KeyRecord,
  context: CommandContext,
): Promise<boolean> => {
  const { db, tableNames } = context.deployment;
  const writes = [endOldKey(tableNames.keys, old, end, successor.id), addSuccessor(tableNames.keys, successor)];
  try {
    return (await transact(db, writes, deadlineIn(ROTATION_MS))).committed;
  } catch (error) {
    const stored = await keysOf(context)
      .find(successor.id)
      .catch(() => undefined);
    if (stored?.hash === successor.hash) return true;
    throw error;
  }
};
