/**
 * The last finished load of each kind and supplier, in one item of the usage table. A command by hand and the intake
 * write it, commands and answers read it.
 */
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { readStored } from './schemas/record-schema.ts';

/** No API key has this id. */
const KEY = { keyId: 'loads', windowStart: 0 };

/** The supplier of a removal of whole vehicles, which counts for each supplier. */
export const EVERY_SUPPLIER = '*';

/** Where a load has its place in the item. A load of several parts has several. Without a supplier: the nameless one. */
export interface LoadTarget {
  readonly kind: 'vehicles' | 'mot' | 'tax' | 'fines';
  readonly supplier?: string | undefined;
}

const StoredLoad = {
  type: 'object',
  required: ['id', 'at'],
  properties: { id: { type: 'string' }, at: { type: 'string', format: 'date-time' } },
} as const;

export interface FinishedLoad {
  readonly id: string;
  /** When it finished, ISO 8601 UTC. */
  readonly at: string;
}

const attributeOf = ({ kind, supplier = '-' }: LoadTarget): string => `${kind}/${supplier}`;

/** Records a load that has come to its end. It may be sent again. */
export const recordFinishedLoad = async (
  db: DynamoDBDocumentClient,
  usageTable: string,
  targets: readonly LoadTarget[],
  load: FinishedLoad,
): Promise<void> => {
  await db.send(
    new UpdateCommand({
      TableName: usageTable,
      Key: KEY,
      UpdateExpression: `SET ${targets.map((_, nth) => `#${nth} = :load`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(targets.map((target, nth) => [`#${nth}`, attributeOf(target)])),
      ExpressionAttributeValues: { ':load': load },
    }),
  );
};

/**
 * Reads every finished load at once; the result finds the last one of a kind and supplier.
 * @param options answers read eventually consistent, which costs half
 */
export const readFinishedLoads = async (
  db: DynamoDBDocumentClient,
  usageTable: string,
  { ConsistentRead = true } = {},
) => {
  const { Item = {} } = await db.send(new GetCommand({ TableName: usageTable, Key: KEY, ConsistentRead }));
  return (target: LoadTarget): FinishedLoad | undefined => readStored(StoredLoad, Item[attributeOf(target)]);
};

/** The last load of a kind that has finished since another one of a supplier began; without one, of any supplier. */
export const findLoadSince = async (
  db: DynamoDBDocumentClient,
  usageTable: string,
  kinds: readonly LoadTarget['kind'][],
  { load, supplier, began }: { readonly load: string; readonly supplier?: string; readonly began: string },
): Promise<FinishedLoad | undefined> => {
  const { Item = {} } = await db.send(new GetCommand({ TableName: usageTable, Key: KEY, ConsistentRead: true }));
  const isConcerned = (attribute: string): boolean => {
    const [kind, whose] = attribute.split('/');
    const isKind = kinds.some((one) => one === kind);
    return isKind && (supplier === undefined || whose === supplier || whose === EVERY_SUPPLIER);
  };
  return Object.entries(Item)
    .flatMap(([attribute, value]) => (isConcerned(attribute) ? (readStored(StoredLoad, value) ?? []) : []))
    .find(({ id, at }) => id !== load && at > began);
};
