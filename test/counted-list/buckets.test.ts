import { describe, expect, it } from '@jest/globals';
import { type Bucket, bucketRanges } from '../../core/counted-list/bucket-ranges.ts';
import { listItemKeys } from '../../core/counted-list/item-keys.ts';

/** Buckets 3 to 0, newest first. Bucket 1 has become empty. */
const BUCKETS: readonly Bucket[] = [
  { bucket: 3, members: 2 },
  { bucket: 2, members: 3 },
  { bucket: 1, members: 0 },
  { bucket: 0, members: 4 },
];

describe('The bucket ranges of a page', () => {
  it.each([
    ['are none in an empty list', [], 0, 5, []],
    ['lie within one bucket', BUCKETS, 0, 2, [{ bucket: 3, skip: 0, room: 2 }]],
    ['begin in the middle of a bucket', BUCKETS, 1, 1, [{ bucket: 3, skip: 1, room: 1 }]],
    ['begin with a bucket', BUCKETS, 2, 1, [{ bucket: 2, skip: 0, room: 1 }]],
    [
      'span several buckets, without empty ones',
      BUCKETS,
      1,
      6,
      [
        { bucket: 3, skip: 1, room: 6 },
        { bucket: 2, skip: 0, room: 5 },
        { bucket: 0, skip: 0, room: 2 },
      ],
    ],
    ['end with the last member', BUCKETS, 7, 9, [{ bucket: 0, skip: 2, room: 9 }]],
    ['are none past the end', BUCKETS, 9, 5, []],
  ])('%s', (_title, buckets, offset, limit, ranges) => {
    expect(bucketRanges(buckets, offset, limit)).toEqual(ranges);
  });
});

it('The primary keys of a list are the ones that were stored before, with 512 positions to a bucket', () => {
  const { allocatorKey, counterKey, memberKey } = listItemKeys('x#');
  expect(allocatorKey('all')).toEqual({ pk: 'x#head#all', sk: 'head' });
  expect(counterKey('all', 3)).toEqual({ pk: 'x#counters#all', sk: '000000000003' });
  expect(memberKey('all', 511)).toEqual({ pk: 'x#members#all#000000000000', sk: '000000000000511' });
  expect(memberKey('all', 512)).toEqual({ pk: 'x#members#all#000000000001', sk: '000000000000512' });
});
