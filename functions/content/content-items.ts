/** The entries of the content table: their keys, and items to and from their stored form. */
import type { Item as Entry } from '../dynamodb/database.ts';
import type { ContentItem, StoredItem } from './item.ts';

export type { Entry };

/** A stored entry that lacks what every version stored. */
export class UnreadableContentEntry extends Error {
  override readonly name = 'UnreadableContentEntry';
}

export const itemKey = (id: string): Entry => ({ pk: `item#${id}`, sk: 'item' });
export const slugKey = (domain: string, slug: string): Entry => ({
  pk: `slug#${domain}#${slug}`,
  sk: 'slug',
});

/** The slug that an entry claims for an item; undefined for another kind of entry. */
export const parseSlug = ({ pk, sk, id }: Entry): { domain: string; slug: string; id: string } | undefined => {
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

const isText = (value: unknown): value is string => typeof value === 'string';
const isInteger = (value: unknown): value is number => Number.isInteger(value);

/**
 * A check for each field of the record's schema, which the compiler compares with the schema's type. Validation by the
 * schema library itself would cost every cold start of `read-content` 25 ms of CPU and each stored item 50 µs.
 */
const FIELDS: { readonly [Field in keyof ContentItem]: (value: unknown) => value is ContentItem[Field] } = {
  id: isText,
  title: isText,
  content: isText,
  domain: isText,
  slug: isText,
  meta_description: isText,
  created_at: isText,
  updated_at: isText,
  version: isInteger,
};

/** The item in an entry; attributes that this version does not know are ignored. @throws UnreadableContentEntry */
export const parseItem = (entry: Entry): StoredItem => {
  const { allPosition, domainPosition, ...stored } = entry;
  const areFieldsReadable = Object.entries(FIELDS).every(([field, isValid]) => isValid(stored[field]));
  if (!areFieldsReadable || !isInteger(allPosition) || !isInteger(domainPosition)) throw new UnreadableContentEntry();
  const item = Object.fromEntries(Object.keys(FIELDS).map((field) => [field, stored[field]])) as ContentItem;
  return { item, positions: { all: allPosition, domain: domainPosition } };
};
