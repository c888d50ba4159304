/** The entries of the content table: their keys, and items to and from their stored form. */
import type { Item as Entry } from '../dynamodb/database.ts';
import { parseStored } from '../schemas/stored-record.ts';
import { ContentItem, type StoredItem } from './item.ts';

export type { Entry };

export const itemKey = (id: string): Entry => ({ pk: `item#${id}`, sk: 'item' });
export const slugKey = (domain: string, slug: string): Entry => ({
  pk: `slug#${domain}#${slug}`,
  sk: 'slug',
});

/** A slug of a domain and the item that claims it. */
export type SlugClaim = Pick<ContentItem, 'domain' | 'slug' | 'id'>;

/** The slug that an entry claims for an item; undefined for another kind of entry. */
export const parseSlug = ({ pk, sk, id }: Entry): SlugClaim | undefined => {
  const [, domain = '', slug = ''] = String(pk).split('#');
  return sk === 'slug' && typeof id === 'string' ? { domain, slug, id } : undefined;
};

/** The list of every item. */
export const ALL_ITEMS = 'all';
/** The list of one domain's items; the domain in lower case. */
export const domainList = (domain: string): string => `domain:${domain}`;

export const itemEntry = ({ item, positions }: StoredItem): Entry => ({
  ...item,
  allPosition: positions.all,
  domainPosition: positions.domain,
  ...itemKey(item.id),
});

const StoredContentItem = {
  type: 'object',
  required: [...ContentItem.required, 'allPosition', 'domainPosition'],
  properties: { ...ContentItem.properties, allPosition: { type: 'integer' }, domainPosition: { type: 'integer' } },
} as const;

/** @throws UnreadableRecord */
export const parseItem = (entry: Entry): StoredItem => {
  const { allPosition, domainPosition, ...item } = parseStored(StoredContentItem, entry);
  return { item, positions: { all: allPosition, domain: domainPosition } };
};
