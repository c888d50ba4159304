/** The entries of the content table: their keys, and items to and from their stored form. */
import type { KeyEnvironment } from '../access/api-key.ts';
import { listKeys } from '../counted-list/entries.ts';
import type { Item as Entry } from '../dynamodb/database.ts';
import { parseStored } from '../schemas/record.ts';
import { ContentItem, type StoredItem } from './item.ts';

export type { Entry };

/**
 * With which every partition key of an environment's content begins (docs/contract.md#sandbox): content of live and of
 * test keys never meets. No other kind of entry is called `test`, and no domain or slug contains `#`.
 */
export const CONTENT_PREFIX: Readonly<Record<KeyEnvironment, string>> = { live: '', test: 'test#' };

/** The keys of every kind of entry, for the content of one environment. */
export const contentKeys = (environment: KeyEnvironment) => {
  const prefix = CONTENT_PREFIX[environment];
  return {
    ...listKeys(prefix),
    itemKey: (id: string): Entry => ({ pk: `${prefix}item#${id}`, sk: 'item' }),
    slugKey: (domain: string, slug: string): Entry => ({ pk: `${prefix}slug#${domain}#${slug}`, sk: 'slug' }),
    /** Contains the caller's key id, so that callers never share an entry. */
    creationKey: (keyId: string, hash: string): Entry => ({
      pk: `${prefix}idempotency#${keyId}#${hash}`,
      sk: 'creation',
    }),
  };
};

/** The environment that an entry belongs to, and the entry with its partition key as it is without the prefix. */
export const separatePrefix = (entry: Entry): { readonly environment: KeyEnvironment; readonly entry: Entry } => {
  const pk = String(entry.pk);
  if (!pk.startsWith(CONTENT_PREFIX.test)) return { environment: 'live', entry };
  return { environment: 'test', entry: { ...entry, pk: pk.slice(CONTENT_PREFIX.test.length) } };
};

/** A slug of a domain and the item that claims it. */
export type SlugClaim = Pick<ContentItem, 'domain' | 'slug' | 'id'>;

/** The slug that an entry, its key without a prefix, claims for an item; undefined for another kind of entry. */
export const parseSlug = ({ pk, sk, id }: Entry): SlugClaim | undefined => {
  const [, domain = '', slug = ''] = String(pk).split('#');
  return sk === 'slug' && typeof id === 'string' ? { domain, slug, id } : undefined;
};

/** The list of every item. */
export const ALL_ITEMS = 'all';
/** The list of one domain's items; the domain in lower case. */
export const domainList = (domain: string): string => `domain:${domain}`;

/** The attributes of an item's entry, without its key. */
export const itemAttributes = ({ item, positions }: StoredItem): Entry => ({
  ...item,
  allPosition: positions.all,
  domainPosition: positions.domain,
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
