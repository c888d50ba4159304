/** The entries of the content table: their keys, and items to and from their stored form. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { ContentItem, StoredItem } from './item.ts';

export type Entry = Record<string, AttributeValue>;

/** A stored entry that lacks what every version stored. */
export class UnreadableContentEntry extends Error {
  override readonly name = 'UnreadableContentEntry';
}

export const itemKey = (id: string): Entry => ({ pk: { S: `item#${id}` }, sk: { S: 'item' } });
export const slugKey = (domain: string, slug: string): Entry => ({
  pk: { S: `slug#${domain}#${slug}` },
  sk: { S: 'slug' },
});

/** The slug that an entry claims for an item; undefined for another kind of entry. */
export const parseSlug = ({ pk, sk, id }: Entry): { domain: string; slug: string; id: string } | undefined => {
  const [, domain = '', slug = ''] = pk?.S?.split('#') ?? [];
  return sk?.S === 'slug' && id?.S !== undefined ? { domain, slug, id: id.S } : undefined;
};

/** The list of every item. */
export const ALL_ITEMS = 'all';
/** The list of one domain's items; the domain in lower case. */
export const domainList = (domain: string): string => `domain:${domain}`;

export const itemEntry = ({ item, positions }: StoredItem): Entry => ({
  ...marshall({ ...item, allPosition: positions.all, domainPosition: positions.domain }),
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
  const { allPosition, domainPosition, ...stored } = unmarshall(entry);
  const isReadable =
    Object.entries(FIELDS).every(([field, isValid]) => isValid(stored[field])) &&
    [allPosition, domainPosition].every(isInteger);
  if (!isReadable) throw new UnreadableContentEntry();
  const item = Object.fromEntries(Object.keys(FIELDS).map((field) => [field, stored[field]])) as ContentItem;
  return { item, positions: { all: allPosition, domain: domainPosition } };
};
