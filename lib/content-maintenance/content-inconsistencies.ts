/** The kinds of inconsistency in stored content. */
import type { SlugClaim } from '../../core/content/content-store.ts';
import type { Miscount } from './list-recount.ts';

/** An item in a list, at a position. */
export interface Membership {
  readonly list: string;
  readonly position: number;
  readonly id: string;
}

/**
 * What a scan can suggest. `missing`: an item lacks its member or slug claim. `orphaned`: a member or slug claim belongs to
 * no item. `allocator behind`: the next new member would get a used position. A scan does not check counters: each bucket
 * is recounted.
 */
export type SuspectedInconsistency =
  | ({ readonly kind: 'missing member' | 'orphaned member' } & Membership)
  | ({ readonly kind: 'missing slug claim' | 'orphaned slug claim' } & SlugClaim)
  | { readonly kind: 'allocator behind'; readonly list: string; readonly allocated: number };

export type Inconsistency = SuspectedInconsistency | ({ readonly kind: 'miscounted bucket' } & Miscount);
