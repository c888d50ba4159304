/** Which parts of which buckets make up a page. Pure arithmetic on the counters. */

/** A bucket and how many members it has. */
export interface Bucket {
  readonly bucket: number;
  readonly members: number;
}

/** A range of one bucket, counted from its newest member. */
export interface BucketRange {
  readonly bucket: number;
  readonly skip: number;
  /** What the page has room for: more than the bucket had members left when it was counted, should others have joined. */
  readonly room: number;
}

/** Which ranges of which buckets make up a page. Buckets come newest first. */
export const bucketRanges = (buckets: readonly Bucket[], offset: number, limit: number): BucketRange[] => {
  const ranges: BucketRange[] = [];
  let toSkip = offset;
  let room = limit;
  for (const { bucket, members } of buckets) {
    if (room === 0) break;
    const skip = Math.min(toSkip, members);
    const take = Math.min(room, members - skip);
    if (take > 0) ranges.push({ bucket, skip, room });
    toSkip -= skip;
    room -= take;
  }
  return ranges;
};
