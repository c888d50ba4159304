/** Rules of pages of content items: what a list request asks for, and how large a page may be (docs/contract.md#content). */
import { pageTooLarge } from '../problems.ts';
import { type BoundDomains, type ContentItem, listedDomain } from './item.ts';

/** Items in a page without a `limit` (docs/contract.md#content). */
export const DEFAULT_LIMIT = 20;

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
      throw pageTooLarge(index);
    }
  }
};
