/** Which parts of which buckets make up a page. Pure arithmetic on the counters. */

/** A bucket and how many members it has. */
export interface Bucket {
  readonly bucket: number;
  readonly members: number;
}

/** A stretch of one bucket, counted from its newest member. */
export interface Stretch extends Bucket {
  readonly skip: number;
  readonly take: number;
}

/** Which stretches of which buckets make up a page. Buckets come newest first. */
export const stretchesOf = (buckets: readonly Bucket[], offset: number, limit: number): Stretch[] => {
  const stretches: Stretch[] = [];
  let toSkip = offset;
  let toTake = limit;
  for (const { bucket, members } of buckets) {
    if (toTake === 0) break;
    const skip = Math.min(toSkip, members);
    const take = Math.min(toTake, members - skip);
    if (take > 0) stretches.push({ bucket, members, skip, take });
    toSkip -= skip;
    toTake -= take;
  }
  return stretches;
};
