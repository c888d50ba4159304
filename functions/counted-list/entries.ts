/** How lists lie in their table: the key of each kind of entry. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** Positions in a bucket: a page touches few buckets, and 100,000 members need only 196 counters. */
const BUCKET_SIZE = 512;
/** Digits that keep numbers in order as text; 512 × 10^12 positions. */
const BUCKET_DIGITS = 12;
const POSITION_DIGITS = 15;

type Key = Record<string, AttributeValue>;

const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');
/** The bucket that a position lies in. */
export const bucketOf = (position: number): number => Math.floor(position / BUCKET_SIZE);

/** Where a list's last given position is kept. */
export const headKey = (list: string): Key => ({ pk: { S: `head#${list}` }, sk: { S: 'head' } });
export const counterPartition = (list: string): string => `counters#${list}`;
export const counterKey = (list: string, bucket: number): Key => ({
  pk: { S: counterPartition(list) },
  sk: { S: padded(bucket, BUCKET_DIGITS) },
});
export const memberPartition = (list: string, bucket: number): string =>
  `members#${list}#${padded(bucket, BUCKET_DIGITS)}`;
export const memberKey = (list: string, position: number): Key => ({
  pk: { S: memberPartition(list, bucketOf(position)) },
  sk: { S: padded(position, POSITION_DIGITS) },
});
