/**
 * Lists of ids on DynamoDB with an exact total and pages that cost the same at any offset.
 *
 * - A **member** is an id in a list. It has one position per list.
 * - A **position** is a number from the list's **position allocator**. It is never given out twice; members never move.
 * - A **bucket** is 512 consecutive positions. Its members share a partition.
 * - A **counter** per bucket holds the number of its members and a change number.
 *
 * Members and counters change in one transaction. Therefore a bucket's counter equals the number of its members, and
 * the sum of a list's counters is its total. The change number grows with every change of the bucket: a recount that
 * finds the same number before and after knows that nothing changed meanwhile.
 *
 * A page reads the counters, then only the buckets that contain it, in parallel and each from its newest member.
 * Removed members leave gaps. A page of 20 reads at most two buckets until 96 % of a list was removed evenly. Beyond
 * that it reads at most one bucket per member shown. An empty bucket costs only its counter of 60 bytes.
 *
 * Limit: about a hundred transactions a second and list, at 10 ms each. Every new member updates the counter of the
 * newest bucket, and DynamoDB cancels transactions that meet on an item. One transaction may add many members.
 */
import { type DynamoDBDocumentClient, paginateQuery, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { TransactWrite } from '../dynamodb/transact.ts';
import { type Bucket, type BucketRange, bucketRanges } from './bucket-ranges.ts';
import { bucketOf, listItemKeys } from './item-keys.ts';

/** An id and its allocated position. */
export interface Member {
  readonly position: number;
  readonly id: string;
}

/** Ids, newest first, and the list's total. */
export interface MemberPage {
  readonly ids: readonly string[];
  readonly total: number;
}

const totalOf = (buckets: readonly Bucket[]): number => buckets.reduce((sum, { members }) => sum + members, 0);

/**
 * The counted lists of one table (string keys `pk`, `sk`). List names must not contain `#`.
 * @param prefix with which all partition keys of these lists begin; `''` for none
 * @example
 * const lists = countedLists(db, table);
 * const position = await lists.allocate('all');
 * await transact(db, [putItem, ...lists.append('all', [{ position, id }])], deadline);
 * const { ids, total } = await lists.page('all', 40, 20); // the third page of 20, newest first
 * await transact(db, [deleteItem, ...lists.remove('all', position)], deadline);
 */
export const countedLists = (db: DynamoDBDocumentClient, table: string, prefix = '') => {
  const { allocatorKey, counterKey, counterPartition, memberKey, memberPartition } = listItemKeys(prefix);

  /** Changes a bucket's number of members. */
  const counterUpdate = (list: string, bucket: number, change: number): TransactWrite => ({
    Update: {
      TableName: table,
      Key: counterKey(list, bucket),
      UpdateExpression: 'ADD members :change, changes :one',
      ExpressionAttributeValues: { ':change': change, ':one': 1 },
    },
  });

  const readBuckets = async (list: string): Promise<Bucket[]> => {
    const buckets: Bucket[] = [];
    const query = {
      TableName: table,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': counterPartition(list) },
      ConsistentRead: true,
      ScanIndexForward: false,
    };
    for await (const { Items = [] } of paginateQuery({ client: db }, query)) {
      buckets.push(...Items.map(({ sk, members }) => ({ bucket: Number(sk), members: Number(members) })));
    }
    return buckets;
  };

  /**
   * Reads from the newest member, skipped members included: new members then only add to the start of the range. Read
   * from the oldest, they would push members off the page that belong on it.
   */
  const readRange = async (list: string, { bucket, skip, room }: BucketRange): Promise<string[]> => {
    const { Items = [] } = await db.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': memberPartition(list, bucket) },
        ConsistentRead: true,
        ScanIndexForward: false,
        Limit: skip + room,
      }),
    );
    return Items.slice(skip).map(({ member }) => String(member));
  };

  return {
    counterUpdate,

    /** Allocates positions and returns the first. An unused position is a gap, which costs nothing. */
    allocate: async (list: string, positions = 1): Promise<number> => {
      const { Attributes } = await db.send(
        new UpdateCommand({
          TableName: table,
          Key: allocatorKey(list),
          UpdateExpression: 'ADD allocated :positions',
          ExpressionAttributeValues: { ':positions': positions },
          ReturnValues: 'UPDATED_NEW',
        }),
      );
      const allocated: unknown = Attributes?.allocated;
      if (typeof allocated !== 'number') throw new Error('The response of DynamoDB has no allocated position.');
      return allocated - positions;
    },

    /** The writes that add members at allocated positions: one per member and one per bucket. */
    append: (list: string, members: readonly Member[]): TransactWrite[] => [
      ...members.map(({ position, id }) => ({
        Put: {
          TableName: table,
          Item: { ...memberKey(list, position), member: id },
          ConditionExpression: 'attribute_not_exists(pk)',
        },
      })),
      ...[...Map.groupBy(members, ({ position }) => bucketOf(position))].map(([bucket, added]) =>
        counterUpdate(list, bucket, added.length),
      ),
    ],

    /** The two writes that remove the member at a position. */
    remove: (list: string, position: number): TransactWrite[] => [
      {
        Delete: {
          TableName: table,
          Key: memberKey(list, position),
          ConditionExpression: 'attribute_exists(pk)',
        },
      },
      counterUpdate(list, bucketOf(position), -1),
    ],

    /**
     * Strongly consistent. No member is on a page twice, and the total is never less than offset and page. Costs one
     * request for the counters and one per bucket of the page; one more when the list outgrows its last page meanwhile.
     *
     * A page can lack one member that belongs on it in one case: after the counters are read, a newer bucket gets a
     * member, and then an older bucket of the page loses one. On a last page the total is then one less, too. Excluding
     * that would take transactions that read the counters before and after.
     */
    page: async (list: string, offset: number, limit: number): Promise<MemberPage> => {
      const buckets = await readBuckets(list);
      const counted = totalOf(buckets);
      const isLast = offset < counted && counted <= offset + limit;
      // One more member than the page shows whether the list has outgrown it.
      const ranges = bucketRanges(buckets, offset, isLast ? limit + 1 : limit);
      const read = await Promise.all(ranges.map((range) => readRange(list, range)));
      // A member that was moved between the reads is in two buckets; its new position counts.
      const found = [...new Set(read.flat())];
      const ids = found.slice(0, limit);
      if (!isLast) return { ids, total: counted };
      if (found.length <= limit) return { ids, total: offset + found.length };
      return { ids, total: Math.max(totalOf(await readBuckets(list)), offset + limit) };
    },
  };
};
