/**
 * Lists on DynamoDB with an exact total and pages that cost the same at any offset. Knows nothing of what it lists.
 *
 * A member joins a list at a position, a number that only grows. 512 positions make a bucket; a bucket's members share a
 * partition, so no partition grows without bound. Beside them stands a counter per bucket.
 *
 * Invariants, kept because members and counters change in one transaction:
 * - a member has one position per list;
 * - a bucket's counter equals the members in the bucket;
 * - a counter's change number grows with every change of its bucket and never falls (counters from before there was one
 *   lack it until their next change), so that a recount knows whether anything happened meanwhile;
 * - the sum of a list's counters is its total.
 *
 * The newest bucket's counter is written by every member that joins, so it bounds how fast a list grows: DynamoDB takes
 * 1,000 write units a second on one item and a transactional write takes two, hence at most 500 transactions a second per
 * list, less what concurrent ones lose to conflicts on it. A transaction may bring in many members at once.
 *
 * Members that leave make their bucket thin, and it stays so: positions are never given twice and members never move.
 * A page reads, all at once, just the buckets that its members lie in, each from its newest member on. So it touches at
 * most two, four requests with the items, as long as each bucket holds a page: for a page of 20 until 96 % of a list has
 * left evenly. Beyond that it costs a request more per bucket touched, at most one per member shown, in the same two
 * steps. An emptied bucket costs nothing but its counter, 60 bytes.
 */
import { type DynamoDBDocumentClient, paginateQuery, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { TransactWrite } from '../dynamodb/transact.ts';
import { type Bucket, type BucketRange, bucketRanges } from './bucket-ranges.ts';
import { allocatorKey, bucketOf, counterKey, counterPartition, memberKey, memberPartition } from './entries.ts';

/** Who joins, and where. */
export interface Member {
  readonly position: number;
  readonly id: string;
}

/** A page of member ids, newest first, and how many members the list has. */
export interface MemberPage {
  readonly ids: readonly string[];
  readonly total: number;
}

const totalOf = (buckets: readonly Bucket[]): number => buckets.reduce((sum, { members }) => sum + members, 0);

/** The counted lists of one table (string keys `pk`, `sk`). List names must not contain `#`. */
export const countedLists = (db: DynamoDBDocumentClient, table: string) => {
  const count = (list: string, bucket: number, change: number): TransactWrite => ({
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
   * Always from the newest member on: who joins or leaves between the count and this read may be on the page or not, but
   * a member whose place is on it all the time is. Counted from the oldest, it would be pushed off by others.
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
    /**
     * The first of so many new positions at the end of the list. One that is never used leaves a gap, which costs nothing.
     */
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
      return Number(Attributes?.allocated) - positions;
    },

    /** The writes that let members join at their allocated positions: one each, and one per bucket. */
    append: (list: string, members: readonly Member[]): TransactWrite[] => [
      ...members.map(({ position, id }) => ({
        Put: {
          TableName: table,
          Item: { ...memberKey(list, position), member: id },
          ConditionExpression: 'attribute_not_exists(pk)',
        },
      })),
      ...[...Map.groupBy(members, ({ position }) => bucketOf(position))].map(([bucket, joining]) =>
        count(list, bucket, joining.length),
      ),
    ],

    /** The writes that let the member at a position leave. */
    remove: (list: string, position: number): TransactWrite[] => [
      {
        Delete: {
          TableName: table,
          Key: memberKey(list, position),
          ConditionExpression: 'attribute_exists(pk)',
        },
      },
      count(list, bucketOf(position), -1),
    ],

    /**
     * Strongly consistent: a member that joined before is on the page that its place is on, whoever joins and leaves
     * meanwhile, at most once, and the total is never less than what is shown. One request for the counters and one per bucket that the
     * page touches; one more when the list outgrows its last page in between.
     */
    page: async (list: string, offset: number, limit: number): Promise<MemberPage> => {
      const buckets = await readBuckets(list);
      const counted = totalOf(buckets);
      const isLast = offset < counted && counted <= offset + limit;
      // One more than the page holds tells whether the list has outgrown it since it was counted.
      const ranges = bucketRanges(buckets, offset, isLast ? limit + 1 : limit);
      const read = await Promise.all(ranges.map((range) => readRange(list, range)));
      // Whoever left an older bucket and joined again between the reads is in both; its new place counts.
      const found = [...new Set(read.flat())];
      const ids = found.slice(0, limit);
      if (!isLast) return { ids, total: counted };
      if (found.length <= limit) return { ids, total: offset + found.length };
      return { ids, total: Math.max(totalOf(await readBuckets(list)), offset + limit) };
    },
  };
};

export type CountedLists = ReturnType<typeof countedLists>;
