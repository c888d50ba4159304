/** How content lies in its table: the key of each kind of entry, and items to and from their stored form. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { RememberedCreation } from './idempotency.ts';
import type { ContentItem, StoredItem } from './item.ts';

export type Entry = Record<string, AttributeValue>;

/** A stored entry that this code does not understand. */
export class UnreadableContentEntry extends Error {
  override readonly name = 'UnreadableContentEntry';
}

export const itemKey = (id: string): Entry => ({ pk: { S: `item#${id}` }, sk: { S: 'item' } });
export const slugKey = (domain: string, slug: string): Entry => ({
  pk: { S: `slug#${domain}#${slug}` },
  sk: { S: 'slug' },
});
/** The slug that an entry holds for an item; undefined when it is another kind of entry. */
export const parseSlug = ({ pk, sk, id }: Entry): { domain: string; slug: string; id: string } | undefined => {
  const [, domain = '', slug = ''] = pk?.S?.split('#') ?? [];
  return sk?.S === 'slug' && id?.S !== undefined ? { domain, slug, id: id.S } : undefined;
};

export const creationKey = (repeatableId: string): Entry => ({ pk: { S: repeatableId }, sk: { S: 'creation' } });

/** The list of every item. */
export const ALL_ITEMS = 'all';
/** The list of one domain's items; the domain in lower case. */
export const domainList = (domain: string): string => `domain:${domain}`;

export const itemEntry = ({ item, positions }: StoredItem): Entry => ({
  ...marshall({ ...item, allPosition: positions.all, domainPosition: positions.domain }),
  ...itemKey(item.id),
});

const TEXTS = ['id', 'title', 'content', 'domain', 'slug', 'meta_description', 'created_at', 'updated_at'] as const;
const NUMBERS = ['version', 'allPosition', 'domainPosition'] as const;

/** @throws UnreadableContentEntry */
export const parseItem = (entry: Entry): StoredItem => {
  const stored = unmarshall(entry);
  const sound =
    TEXTS.every((field) => typeof stored[field] === 'string') &&
    NUMBERS.every((field) => Number.isInteger(stored[field]));
  if (!sound) throw new UnreadableContentEntry();
  const { id, title, content, domain, slug, meta_description, created_at, updated_at, version } = stored as ContentItem;
  return {
    item: { id, title, content, domain, slug, meta_description, created_at, updated_at, version },
    positions: { all: stored.allPosition, domain: stored.domainPosition },
  };
};

/** @throws UnreadableContentEntry */
export const parseCreation = (entry: Entry): RememberedCreation => {
  const { bodyHash, id, createdAt } = unmarshall(entry);
  if ([bodyHash, id, createdAt].some((value) => typeof value !== 'string')) throw new UnreadableContentEntry();
  return { bodyHash, id, createdAt };
};
