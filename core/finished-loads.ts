/**
 * The last finished load of each kind and supplier, in one item of the usage table. A command by hand and the intake
 * write it, commands and answers read it.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type RecordOf, readStored } from './schemas/record-schema.ts';
import { NAMELESS } from './stage/outputs.ts';

/** No API key has this id. */
const KEY = { keyId: 'loads', windowStart: 0 };

/** The supplier of a removal of whole vehicles, which counts for each supplier. */
export const EVERY_SUPPLIER = '*';

/** Where a load has its place in the item. A load of several parts has several. */
export interface LoadTarget {
  readonly kind: 'vehicles' | 'mot' | 'tax' | 'fines';
  readonly supplier?: string | undefined;
}

const StoredLoad = {
  type: 'object',
  required: ['id', 'at'],
  properties: {
    id: { type: 'string' },
    /** When it finished, ISO 8601 UTC. */
    at: { type: 'string', format: 'date-time' },
    /** Whether it was a removal, after which a supplier of vehicles has supplied nothing and is not current. */
    isRemoval: { const: true },
  },
} as const;

export type FinishedLoad = RecordOf<typeof StoredLoad>;

const attributeOf = ({ kind, supplier = NAMELESS }: LoadTarget): string => `${kind}/${supplier}`;

/**
 * Records a load that has come to its end, and keeps the one before it, which may have finished while this one ran. It
 * may be sent again.
 */
export const recordFinishedLoad = async (
  db: DynamoDBDocumentClient,
  usageTable: string,
  targets: readonly LoadTarget[],
  load: FinishedLoad,
): Promise<void> => {
  const names = targets.flatMap((target, nth) => {
    const attribute = attributeOf(target);
    return [[`#${nth}`, attribute] as const, [`#${nth}before`, `${attribute}/before`] as const];
  });
  const sets = targets.map((_, nth) => `#${nth}before = if_not_exists(#${nth}, :load), #${nth} = :load`);
  const update = new UpdateCommand({
    TableName: usageTable,
    Key: KEY,
    UpdateExpression: `SET ${sets.join(', ')}`,
    // Sent again, it would put the load itself in place of the one before it.
    ConditionExpression: 'attribute_not_exists(#0) OR #0.id <> :id',
    ExpressionAttributeNames: Object.fromEntries(names),
    ExpressionAttributeValues: { ':load': load, ':id': load.id },
  });
  await db.send(update).catch((error: unknown) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
};

const readItem = async (db: DynamoDBDocumentClient, usageTable: string, ConsistentRead: boolean) => {
  const { Item = {} } = await db.send(new GetCommand({ TableName: usageTable, Key: KEY, ConsistentRead }));
  return Item;
};

/** Reads every finished load at once, for answers; the result finds the last one of a kind and supplier. */
export const readFinishedLoads = async (db: DynamoDBDocumentClient, usageTable: string) => {
  // Eventually consistent, which costs half.
  const item = await readItem(db, usageTable, false);
  return (target: LoadTarget): FinishedLoad | undefined => readStored(StoredLoad, item[attributeOf(target)]);
};

/** The last load of a kind that has finished since another one of a supplier began; without one, of any supplier. */
export const findLoadSince = async (
  db: DynamoDBDocumentClient,
  usageTable: string,
  kinds: readonly LoadTarget['kind'][],
  { load, supplier, began }: { readonly load: string; readonly supplier?: string; readonly began: string },
): Promise<FinishedLoad | undefined> => {
  const item = await readItem(db, usageTable, true);
  const isConcerned = (attribute: string): boolean => {
    const [kind, whose] = attribute.split('/');
    const isKind = kinds.some((one) => one === kind);
    return isKind && (supplier === undefined || whose === supplier || whose === EVERY_SUPPLIER);
  };
  return Object.entries(item)
    .flatMap(([attribute, value]) => (isConcerned(attribute) ? (readStored(StoredLoad, value) ?? []) : []))
    .find(({ id, at }) => id !== load && at > began);
};
