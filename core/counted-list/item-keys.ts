/** The primary keys of the DynamoDB items of lists. */
import type { DynamoItem } from '../dynamodb/database.ts';

/** Positions in a bucket: a page touches few buckets, and 100,000 members need only 196 counters. */
export const BUCKET_SIZE = 512;
/** Digits to which numbers are padded, so that they sort as text. */
const BUCKET_DIGITS = 12;
const POSITION_DIGITS = 15;

const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');

/** The bucket of a position. */
export const bucketOf = (position: number): number => Math.floor(position / BUCKET_SIZE);

/** The keys of the lists with this prefix. Lists with different prefixes never share a DynamoDB item. */
export const listItemKeys = (prefix: string) => {
  /** The partition of a list's counters, sorted by bucket. */
  const counterPartition = (list: string): string => `${prefix}counters#${list}`;

  /** The partition of a bucket's members, sorted by position. */
  const memberPartition = (list: string, bucket: number): string =>
    `${prefix}members#${list}#${padded(bucket, BUCKET_DIGITS)}`;

  return {
    counterPartition,
    memberPartition,

    /** The list's position allocator: how many positions it has given out. (`head` is the stored name.) */
    allocatorKey: (list: string): DynamoItem => ({ pk: `${prefix}head#${list}`, sk: 'head' }),

    counterKey: (list: string, bucket: number): DynamoItem => ({
      pk: counterPartition(list),
      sk: padded(bucket, BUCKET_DIGITS),
    }),

    memberKey: (list: string, position: number): DynamoItem => ({
      pk: memberPartition(list, bucketOf(position)),
      sk: padded(position, POSITION_DIGITS),
    }),
  };
};
