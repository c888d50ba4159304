import { describe, expect, it } from '@jest/globals';
import { bucketOf, listKeys } from '../../core/counted-list/entries.ts';

const { allocatorKey, counterKey, memberKey } = listKeys('');

describe('The entries of a list', () => {
  it.each([
    ['the allocator', allocatorKey('all'), { pk: 'head#all', sk: 'head' }],
    ['a counter', counterKey('all', 3), { pk: 'counters#all', sk: '000000000003' }],
    ['the last member of a bucket', memberKey('all', 511), { pk: 'members#all#000000000000', sk: '000000000000511' }],
    ['the first of the next', memberKey('all', 512), { pk: 'members#all#000000000001', sk: '000000000000512' }],
  ])('have keys that were stored before: %s', (_kind, key, stored) => expect(key).toEqual(stored));

  it('begin with the prefix of their lists', () => {
    const { allocatorKey, counterPartition, counterKey, memberKey } = listKeys('other#');
    const partitions = [allocatorKey('all').pk, counterKey('all', 0).pk, memberKey('all', 0).pk];
    expect(partitions).toEqual(['other#head#all', 'other#counters#all', 'other#members#all#000000000000']);
    expect(counterPartition('all')).toBe('other#counters#all');
  });

  it('are in buckets of 512 positions', () => expect([0, 511, 512, 1_024].map(bucketOf)).toEqual([0, 0, 1, 2]));
});
