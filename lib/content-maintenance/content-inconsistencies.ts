/** What can be inconsistent in stored content, and what of it a scan makes suspicious. Pure: nothing is read or written. */

import type { ContentScan, ItemPlace } from './content-scan.ts';
import type { Miscount } from './list-recount.ts';

/** An item in a list, at a position. */
export interface Membership {
  readonly list: string;
  readonly position: number;
  readonly id: string;
}

/** A slug that is, or should be, held by an item. */
export interface SlugHolding {
  readonly domain: string;
  readonly slug: string;
  readonly id: string;
}

/** What a scan can make suspicious. Counters are not compared with a scan: each bucket is recounted. */
export type SuspectedInconsistency =
  | ({ readonly kind: 'missing member' | 'stray member' } & Membership)
  | ({ readonly kind: 'unheld slug' | 'stray slug' } & SlugHolding)
  | { readonly kind: 'head behind'; readonly list: string; readonly allocated: number };

export type Inconsistency = SuspectedInconsistency | ({ readonly kind: 'miscounted bucket' } & Miscount);

/** Whether the item says that it is at this place. */
export const isAt = (item: ItemPlace | undefined, { list, position }: Omit<Membership, 'id'>): boolean =>
  item?.positions.get(list) === position;

/** Whether the item says that it has this slug. */
export const hasSlug = (item: ItemPlace | undefined, { domain, slug }: SlugHolding): boolean =>
  item?.domain === domain && item.slug === slug;

const wantedMembers = ({ items }: ContentScan): Membership[] =>
  [...items].flatMap(([id, { positions }]) => [...positions].map(([list, position]) => ({ list, position, id })));

const suspectedMembers = (scan: ContentScan): SuspectedInconsistency[] => {
  const present = new Set(scan.members.map(({ list, position, id }) => `${list}#${position}#${id}`));
  return [
    ...scan.members
      .filter((member) => !isAt(scan.items.get(member.id), member))
      .map((member) => ({ kind: 'stray member', ...member }) as const),
    ...wantedMembers(scan)
      .filter(({ list, position, id }) => !present.has(`${list}#${position}#${id}`))
      .map((member) => ({ kind: 'missing member', ...member }) as const),
  ];
};

const suspectedSlugs = ({ items, slugs }: ContentScan): SuspectedInconsistency[] => {
  const holders = new Map(slugs.map(({ domain, slug, id }) => [`${domain}#${slug}`, id]));
  return [
    ...slugs
      .filter((holding) => !hasSlug(items.get(holding.id), holding))
      .map((holding) => ({ kind: 'stray slug', ...holding }) as const),
    ...[...items]
      .filter(([id, { domain, slug }]) => holders.get(`${domain}#${slug}`) !== id)
      .map(([id, { domain, slug }]) => ({ kind: 'unheld slug', domain, slug, id }) as const),
  ];
};

const suspectedHeads = (scan: ContentScan): SuspectedInconsistency[] => {
  const needed = new Map<string, number>();
  for (const { list, position } of [...scan.members, ...wantedMembers(scan)]) {
    needed.set(list, Math.max(needed.get(list) ?? 0, position + 1));
  }
  return [...needed]
    .filter(([list, allocated]) => (scan.heads.get(list) ?? 0) < allocated)
    .map(([list, allocated]) => ({ kind: 'head behind', list, allocated }) as const);
};

/**
 * What a scan makes suspicious, strays before what is missing: in the order in which it is repaired. A scan reads entries
 * at different moments, so beside traffic most of it is consistent.
 */
export const suspectedInconsistencies = (scan: ContentScan): SuspectedInconsistency[] => [
  ...suspectedSlugs(scan),
  ...suspectedMembers(scan),
  ...suspectedHeads(scan),
];
