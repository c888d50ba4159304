/** The kinds of inconsistency in stored content, and which of them a scan suggests. Pure. */
import type { SlugClaim } from '../../core/content/content-entries.ts';
import type { ContentScan, ItemPlace, Membership } from './content-scan.ts';
import type { Miscount } from './list-recount.ts';

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

/** Whether the item has this position. */
export const isAt = (item: ItemPlace | undefined, { list, position }: Omit<Membership, 'id'>): boolean =>
  item?.positions.get(list) === position;

/** Whether the item has this slug. */
export const hasSlug = (item: ItemPlace | undefined, { domain, slug }: SlugClaim): boolean =>
  item?.domain === domain && item.slug === slug;

const wantedMembers = ({ items }: ContentScan): Membership[] =>
  [...items].flatMap(([id, { positions }]) => [...positions].map(([list, position]) => ({ list, position, id })));

const suspectedMembers = (scan: ContentScan): SuspectedInconsistency[] => {
  const present = new Set(scan.members.map(({ list, position, id }) => `${list}#${position}#${id}`));
  return [
    ...scan.members
      .filter((member) => !isAt(scan.items.get(member.id), member))
      .map((member) => ({ kind: 'orphaned member', ...member }) as const),
    ...wantedMembers(scan)
      .filter(({ list, position, id }) => !present.has(`${list}#${position}#${id}`))
      .map((member) => ({ kind: 'missing member', ...member }) as const),
  ];
};

const suspectedSlugs = ({ items, slugs }: ContentScan): SuspectedInconsistency[] => {
  const claimants = new Map(slugs.map(({ domain, slug, id }) => [`${domain}#${slug}`, id]));
  return [
    ...slugs
      .filter((claim) => !hasSlug(items.get(claim.id), claim))
      .map((claim) => ({ kind: 'orphaned slug claim', ...claim }) as const),
    ...[...items]
      .filter(([id, { domain, slug }]) => claimants.get(`${domain}#${slug}`) !== id)
      .map(([id, { domain, slug }]) => ({ kind: 'missing slug claim', domain, slug, id }) as const),
  ];
};

const suspectedAllocators = (scan: ContentScan): SuspectedInconsistency[] => {
  const needed = new Map<string, number>();
  for (const { list, position } of [...scan.members, ...wantedMembers(scan)]) {
    needed.set(list, Math.max(needed.get(list) ?? 0, position + 1));
  }
  return [...needed]
    .filter(([list, allocated]) => (scan.allocated.get(list) ?? 0) < allocated)
    .map(([list, allocated]) => ({ kind: 'allocator behind', list, allocated }) as const);
};

/**
 * What looks inconsistent in a scan, in the order of its repair: orphaned entries before missing ones. A scan reads entries
 * at different moments, so most of this is consistent when items change meanwhile.
 */
export const suspectedInconsistencies = (scan: ContentScan): SuspectedInconsistency[] => [
  ...suspectedSlugs(scan),
  ...suspectedMembers(scan),
  ...suspectedAllocators(scan),
];
