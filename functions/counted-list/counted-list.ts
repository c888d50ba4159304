/**
 * Lists on DynamoDB with an exact total and pages that cost the same at any offset. Knows nothing of what it lists.
 *
 * A member joins a list at a position, a number that only grows. 512 positions make a bucket; a bucket's members share a
 * partition, so no partition grows without bound. Beside them stands a counter per bucket.
 *
 * Invariants, kept because members and counters change in one transaction:
 * - a member has one position per list;
 * - a bucket's counter equals the members in the bucket;
 * - the sum of a list's counters is its total.
 *
 * The newest bucket's counter is written by every member that joins, so it bounds how fast a list grows: DynamoDB takes
 * 1,000 write units a second on one item and a transactional write takes two, hence at most 500 joins a second per list,
 * less what concurrent transactions lose to conflicts on it.
 */
import {
  type AttributeValue,
  type DynamoDBClient,
  paginateQuery,
  QueryCommand,
  type TransactWriteItem,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';

/** Positions in a bucket: a page reads at most two buckets, and 100,000 members need only 196 counters. */
const BUCKET_SIZE = 512;
/** Digits that keep numbers in order as text; 512 × 10^12 positions. */
const BUCKET_DIGITS = 12;
const POSITION_DIGITS = 15;

type Key = Record<string, AttributeValue>;

const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');
const bucketOf = (position: number): number => Math.floor(position / BUCKET_SIZE);

const headKey = (list: string): Key => ({ pk: { S: `head#${list}` }, sk: { S: 'head' } });
const counterPartition = (list: string): string => `counters#${list}`;
const counterKey = (list: string, bucket: number): Key => ({
  pk: { S: counterPartition(list) },
  sk: { S: padded(bucket, BUCKET_DIGITS) },
});
const memberPartition = (list: string, bucket: number): string => `members#${list}#${padded(bucket, BUCKET_DIGITS)}`;
const memberKey = (list: string, position: number): Key => ({
  pk: { S: memberPartition(list, bucketOf(position)) },
  sk: { S: padded(position, POSITION_DIGITS) },
});

interface Bucket {
  readonly bucket: number;
  readonly members: number;
}

/** A stretch of one bucket, counted from its newest member. */
interface Stretch {
  readonly bucket: number;
  readonly skip: number;
  readonly take: number;
}

/** Which stretches of which buckets make up a page. Buckets come newest first. */
const stretchesOf = (buckets: readonly Bucket[], offset: number, limit: number): Stretch[] => {
  const stretches: Stretch[] = [];
  let toSkip = offset;
  let toTake = limit;
  for (const { bucket, members } of buckets) {
    if (toTake === 0) break;
    const skip = Math.min(toSkip, members);
    const take = Math.min(toTake, members - skip);
    if (take > 0) stretches.push({ bucket, skip, take });
    toSkip -= skip;
    toTake -= take;
  }
  return stretches;
};

/** A page of member ids, newest first, and how many members the list has. */
export interface MemberPage {
  readonly ids: readonly string[];
  readonly total: number;
}

/** The counted lists of one table (string keys `pk`, `sk`). List names must not contain `#`. */
export const countedLists = (db: DynamoDBClient, table: string) => {
  const count = (list: string, position: number, change: 1 | -1): TransactWriteItem => ({
    Update: {
      TableName: table,
      Key: counterKey(list, bucketOf(position)),
      UpdateExpression: 'ADD members :change',
      ExpressionAttributeValues: { ':change': { N: String(change) } },
    },
  });

  const readBuckets = async (list: string): Promise<Bucket[]> => {
    const buckets: Bucket[] = [];
    const query = {
      TableName: table,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: counterPartition(list) } },
      ConsistentRead: true,
      ScanIndexForward: false,
    };
    for await (const { Items = [] } of paginateQuery({ client: db }, query)) {
      buckets.push(...Items.map(({ sk, members }) => ({ bucket: Number(sk?.S), members: Number(members?.N) })));
    }
    return buckets;
  };

  const readStretch = async (list: string, { bucket, skip, take }: Stretch): Promise<string[]> => {
    const { Items = [] } = await db.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: memberPartition(list, bucket) } },
        ConsistentRead: true,
        ScanIndexForward: false,
        Limit: skip + take,
      }),
    );
    return Items.slice(skip).map(({ member }) => member?.S ?? '');
  };

  return {
    /** A position at the end of the list. One that is never used leaves a gap, which costs nothing. */
    allocate: async (list: string): Promise<number> => {
      const { Attributes } = await db.send(
        new UpdateItemCommand({
          TableName: table,
          Key: headKey(list),
          UpdateExpression: 'ADD allocated :one',
          ExpressionAttributeValues: { ':one': { N: '1' } },
          ReturnValues: 'UPDATED_NEW',
        }),
      );
      return Number(Attributes?.allocated?.N) - 1;
    },

    /** The writes that let a member join at an allocated position. */
    append: (list: string, position: number, id: string): TransactWriteItem[] => [
      {
        Put: {
          TableName: table,
          Item: { ...memberKey(list, position), member: { S: id } },
          ConditionExpression: 'attribute_not_exists(pk)',
        },
      },
      count(list, position, 1),
    ],

    /** The writes that let the member at a position leave. */
    remove: (list: string, position: number): TransactWriteItem[] => [
      {
        Delete: {
          TableName: table,
          Key: memberKey(list, position),
          ConditionExpression: 'attribute_exists(pk)',
        },
      },
      count(list, position, -1),
    ],

    /** Strongly consistent. One request for the counters and one per bucket that the page touches. */
    page: async (list: string, offset: number, limit: number): Promise<MemberPage> => {
      const buckets = await readBuckets(list);
      const stretches = stretchesOf(buckets, offset, limit);
      const parts = await Promise.all(stretches.map((stretch) => readStretch(list, stretch)));
      return { ids: parts.flat(), total: buckets.reduce((sum, { members }) => sum + members, 0) };
    },
  };
};

export type CountedLists = ReturnType<typeof countedLists>;
