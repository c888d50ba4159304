/** A bucket and how many members it has. */
export interface Bucket {
  readonly bucket: number;
  readonly members: number;
}

/** A part of one bucket, counted from its newest member. */
export interface BucketRange {
  readonly bucket: number;
  readonly skip: number;
  /** Members that fit on the page: more than were counted, since others may be added. */
  readonly room: number;
}

/** The parts of buckets, newest first, that make up a page. */
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
