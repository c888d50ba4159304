/** Rules of content items: the record and its versions, the domains of a key, pages (docs/contract.md#content). */
import { apiError } from '../problems.ts';
import type { RecordOf } from '../schemas/record.ts';

/** The record: types, responses and the check of stored items follow from it. `schemas.ts` has the rules for new values. */
export const ContentItem = {
  type: 'object',
  required: ['id', 'title', 'content', 'domain', 'slug', 'meta_description', 'created_at', 'updated_at', 'version'],
  properties: {
    id: { type: 'string' },
    title: { type: 'string' },
    content: { type: 'string' },
    domain: { type: 'string' },
    slug: { type: 'string' },
    meta_description: { type: 'string' },
    created_at: { type: 'string', format: 'date-time' },
    updated_at: { type: 'string', format: 'date-time' },
    version: { type: 'integer', minimum: 1, description: 'Incremented by every update' },
  },
  title: 'ContentItem',
} as const;

/** A content item as it is returned (docs/contract.md#content). */
export type ContentItem = RecordOf<typeof ContentItem>;

/** What a caller writes of a content item; `domain` in lower case. */
export type ContentFields = Omit<ContentItem, 'id' | 'created_at' | 'updated_at' | 'version'>;

/** An item and its positions in the two lists that it belongs to. */
export interface StoredItem {
  readonly item: ContentItem;
  readonly positions: { readonly all: number; readonly domain: number };
}

/** The latest of timestamps in the same notation. */
export const latest = (...timestamps: readonly string[]): string =>
  timestamps.reduce((last, one) => (one > last ? one : last));

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether an id has the form of this service's ids; any other matches nothing. */
export const isContentId = (id: string): boolean => UUID.test(id);

/** The entity tag of a version (RFC 9110). */
export const etagOf = ({ version }: Pick<ContentItem, 'version'>): string => `"${version}"`;

/** The domains that a caller's key is bound to, in lower case; undefined for a key that may use any. */
export type BoundDomains = readonly string[] | undefined;

/** Whether content of a domain, in lower case, exists for the caller. A subdomain is another domain. */
export const isAllowedDomain = (domains: BoundDomains, domain: string): boolean =>
  domains === undefined || domains.includes(domain);

/** @throws DOMAIN_FORBIDDEN unless the caller may write to the domain or list it; a list of every domain has none */
export const requireDomain = (domains: BoundDomains, domain: string | undefined): void => {
  if (domains === undefined || (domain !== undefined && domains.includes(domain))) return;
  throw apiError('DOMAIN_FORBIDDEN', { domains });
};

/** The domain of a list: the one that was asked for, otherwise the only one of the caller's key. @throws DOMAIN_FORBIDDEN */
export const listedDomain = (domains: BoundDomains, asked: string | undefined): string | undefined => {
  const domain = asked ?? (domains?.length === 1 ? domains[0] : undefined);
  requireDomain(domains, domain);
  return domain;
};

/** Items in a page without a `limit` (docs/contract.md#content). */
const DEFAULT_LIMIT = 20;

/** The query of a list request. */
interface PageQuery {
  readonly domain?: string;
  readonly slug?: string;
  readonly limit?: number;
  readonly offset?: number;
}

/** The filter and the bounds of a list request, for a caller that is bound to domains or to none. @throws DOMAIN_FORBIDDEN */
export const readPageQuery = (
  { domain: asked, slug, limit = DEFAULT_LIMIT, offset = 0 }: PageQuery,
  domains?: BoundDomains,
) => {
  const domain = listedDomain(domains, asked?.toLowerCase());
  return { filter: { ...(domain && { domain }), ...(slug && { slug }) }, bounds: { limit, offset } };
};

/** The body of a list. */
export interface ContentPage {
  readonly items: readonly ContentItem[];
  /** Items that match the filter, exactly. */
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** Bytes of JSON. */
const MAX_PAGE_BYTES = 5_000_000;
/**
 * Lambda's response limit is 6,291,556 bytes. The page is a JSON string in that response, so quotes, backslashes and line
 * ends take more bytes there. The rest is for headers.
 */
const MAX_ENCODED_BYTES = 6_200_000;

/** @throws PAGE_TOO_LARGE, which names how many of the items fit */
export const requirePageFits = (items: readonly ContentItem[]): void => {
  let bytes = 0;
  let encodedBytes = 0;
  for (const [index, item] of items.entries()) {
    const json = JSON.stringify(item);
    bytes += Buffer.byteLength(json) + 1;
    encodedBytes += Buffer.byteLength(JSON.stringify(json)) + 1;
    if (bytes > MAX_PAGE_BYTES || encodedBytes > MAX_ENCODED_BYTES) {
      throw apiError('PAGE_TOO_LARGE', { limitThatFits: index });
    }
  }
};
