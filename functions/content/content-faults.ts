/** What can be wrong with stored content, and what of it a survey makes suspicious. Pure: nothing is read or written. */
import type { Miscount } from '../counted-list/list-recount.ts';
import type { ItemPlace, Survey } from './content-survey.ts';

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

export type ContentFault =
  | ({ readonly kind: 'missing member' | 'stray member' } & Membership)
  | ({ readonly kind: 'unheld slug' | 'stray slug' } & SlugHolding)
  | ({ readonly kind: 'miscounted bucket' } & Miscount)
  | { readonly kind: 'head behind'; readonly list: string; readonly allocated: number };

const isAt = (item: ItemPlace | undefined, { list, position }: Membership): boolean =>
  item?.positions.get(list) === position;

const isOn = (item: ItemPlace | undefined, { domain, slug }: SlugHolding): boolean =>
  item?.domain === domain && item.slug === slug;

const memberFaults = ({ items, members }: Survey): ContentFault[] => {
  const present = new Set(members.map(({ list, position, id }) => `${list}#${position}#${id}`));
  const wanted = [...items].flatMap(([id, { positions }]) =>
    [...positions].map(([list, position]) => ({ list, position, id })),
  );
  return [
    ...members
      .filter((member) => !isAt(items.get(member.id), member))
      .map((member) => ({ kind: 'stray member', ...member }) as const),
    ...wanted
      .filter(({ list, position, id }) => !present.has(`${list}#${position}#${id}`))
      .map((member) => ({ kind: 'missing member', ...member }) as const),
  ];
};

const slugFaults = ({ items, slugs }: Survey): ContentFault[] => {
  const holders = new Map(slugs.map(({ domain, slug, id }) => [`${domain}#${slug}`, id]));
  return [
    ...slugs
      .filter((holding) => !isOn(items.get(holding.id), holding))
      .map((holding) => ({ kind: 'stray slug', ...holding }) as const),
    ...[...items]
      .filter(([id, { domain, slug }]) => holders.get(`${domain}#${slug}`) !== id)
      .map(([id, { domain, slug }]) => ({ kind: 'unheld slug', domain, slug, id }) as const),
  ];
};

const headFaults = ({ members, heads }: Survey): ContentFault[] => {
  const needed = new Map<string, number>();
  for (const { list, position } of members) needed.set(list, Math.max(needed.get(list) ?? 0, position + 1));
  return [...needed]
    .filter(([list, allocated]) => (heads.get(list) ?? 0) < allocated)
    .map(([list, allocated]) => ({ kind: 'head behind', list, allocated }) as const);
};

const bucketFaults = ({ buckets }: Survey): ContentFault[] =>
  [...buckets.values()]
    .filter(({ counter, members }) => counter !== members)
    .map((bucket) => ({ kind: 'miscounted bucket', ...bucket }) as const);

/**
 * What a survey makes suspicious, strays before what is missing, counters last: in the order in which it is mended. A
 * scan reads entries at different moments, so beside traffic most of it is none.
 */
export const suspicions = (survey: Survey): ContentFault[] => [
  ...slugFaults(survey),
  ...memberFaults(survey),
  ...headFaults(survey),
  ...bucketFaults(survey),
];
