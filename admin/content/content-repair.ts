/** Repairs inconsistencies of stored content. Safe while the service runs. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { KeyKind } from '../../core/access/api-key.ts';
import { ALL_ITEMS, contentStore, domainList, type SlugClaim } from '../../core/content/content-store.ts';
import { contentWrites } from '../../core/content/content-writes.ts';
import { bucketOf } from '../../core/counted-list/item-keys.ts';
import { type TransactWrite, transact } from '../../core/dynamodb/transact.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import type { Inconsistency, Membership } from './content-scan.ts';
import { type Miscount, recount } from './list-recount.ts';

/** Milliseconds for one repair, retries included. */
const TIMEOUT_MS = 30_000;
/** Recounts of a bucket that changes between recount and repair. */
const MAX_RECOUNTS = 20;

type Condition = Omit<NonNullable<TransactWrite['ConditionCheck']>, 'TableName' | 'Key'>;

const isAt = ({ list, position }: Membership): Condition => {
  const at = { ':position': position };
  if (list === ALL_ITEMS) {
    return { ConditionExpression: 'allPosition = :position', ExpressionAttributeValues: at };
  }
  return {
    ConditionExpression: '#domain = :domain AND domainPosition = :position',
    ExpressionAttributeNames: { '#domain': 'domain' },
    ExpressionAttributeValues: { ...at, ':domain': list.slice(domainList('').length) },
  };
};

const hasSlug = ({ domain, slug }: SlugClaim): Condition => ({
  ConditionExpression: '#domain = :domain AND slug = :slug',
  ExpressionAttributeNames: { '#domain': 'domain' },
  ExpressionAttributeValues: { ':domain': domain, ':slug': slug },
});

const not = (condition: Condition): Condition => ({
  ...condition,
  ConditionExpression: `NOT (${condition.ConditionExpression})`,
});

/**
 * Repairs one inconsistency at a time, in the content of one kind of key. False when the data has changed since the
 * check, when the bucket changes too often to be counted, or when two items have the same slug: a person must decide
 * then.
 */
export const contentRepair = (db: DynamoDBDocumentClient, table: string, kind: KeyKind) => {
  const store = contentStore(db, table, kind);
  const writes = contentWrites(store);

  const requireItem = (id: string, condition: Condition): TransactWrite => ({
    ConditionCheck: { TableName: table, Key: store.keys.itemKey(id), ...condition },
  });

  const apply = async (...parts: readonly TransactWrite[]): Promise<boolean> =>
    (await transact(db, parts, deadlineIn(TIMEOUT_MS))).committed;

  /** Not a transaction: DynamoDB would reject the single write of a creation that allocates a position meanwhile. */
  const advanceAllocator = async (list: string, allocated: number): Promise<boolean> => {
    const advance = new UpdateCommand({
      TableName: table,
      Key: store.keys.allocatorKey(list),
      UpdateExpression: 'SET allocated = :allocated',
      ConditionExpression: 'attribute_not_exists(allocated) OR allocated < :allocated',
      ExpressionAttributeValues: { ':allocated': allocated },
    });
    try {
      await db.send(advance);
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  };

  /** Sets a counter to the number of members. Fails when the bucket has changed since the recount. */
  const setCounter = ({ list, bucket, members, changes }: Miscount): TransactWrite => ({
    Update: {
      TableName: table,
      Key: store.keys.counterKey(list, bucket),
      UpdateExpression: 'SET members = :members ADD changes :one',
      ConditionExpression: changes === undefined ? 'attribute_not_exists(changes)' : 'changes = :seen',
      ExpressionAttributeValues: { ':members': members, ':one': 1, ...(changes !== undefined && { ':seen': changes }) },
    },
  });

  const repairCounter = async (list: string, bucket: number): Promise<boolean> => {
    for (let attempt = 0; attempt < MAX_RECOUNTS; attempt += 1) {
      const found = await recount(store, list, bucket);
      if (found === 'right') return true;
      if (found === 'busy') return false;
      if (await apply(setCounter(found))) return true;
    }
    return false;
  };

  /** The counter gets only a new change number: the recount finds whether it includes the member. */
  const repairMember = async (
    { list, position, id }: Membership,
    change: TransactWrite,
    condition: Condition,
  ): Promise<boolean> => {
    const bucket = bucketOf(position);
    const parts = [change, store.lists.counterUpdate(list, bucket, 0), requireItem(id, condition)];
    return (await apply(...parts)) && repairCounter(list, bucket);
  };

  return async (found: Inconsistency): Promise<boolean> => {
    switch (found.kind) {
      case 'orphaned member': {
        const Delete = {
          TableName: table,
          Key: store.keys.memberKey(found.list, found.position),
          ConditionExpression: '#member = :id',
          ExpressionAttributeNames: { '#member': 'member' },
          ExpressionAttributeValues: { ':id': found.id },
        };
        return repairMember(found, { Delete }, not(isAt(found)));
      }
      case 'missing member': {
        const Item = { ...store.keys.memberKey(found.list, found.position), member: found.id };
        const Put = { TableName: table, Item, ConditionExpression: 'attribute_not_exists(pk)' };
        return repairMember(found, { Put }, isAt(found));
      }
      case 'orphaned slug claim':
        return apply(writes.releaseSlug(found), requireItem(found.id, not(hasSlug(found))));
      case 'missing slug claim':
        return apply(writes.claimSlug(found), requireItem(found.id, hasSlug(found)));
      case 'miscounted bucket':
        return repairCounter(found.list, found.bucket);
      case 'allocator behind':
        return advanceAllocator(found.list, found.allocated);
    }
  };
};
