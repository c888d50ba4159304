import { pageTooLarge } from '../problems.ts';
import { type BoundDomains, type ContentItem, listedDomain } from './item.ts';

export const DEFAULT_LIMIT = 20;

interface PageQuery {
  readonly domain?: string;
  readonly slug?: string;
  readonly limit?: number;
  readonly offset?: number;
  readonly after?: string;
}

/** The filter and the bounds of a list request. @throws DOMAIN_FORBIDDEN */
export const readPageQuery = (query: PageQuery, domains?: BoundDomains) => {
  const { domain: asked, slug, limit = DEFAULT_LIMIT, offset = 0, after } = query;
  const domain = listedDomain(domains, asked?.toLowerCase());
  return { filter: { ...(domain && { domain }), ...(slug && { slug }) }, bounds: { limit, offset }, after };
};

export interface ItemPage {
  readonly items: readonly ContentItem[];
  /** Items that match the filter: exact while nobody changes the list, otherwise at least what the page has shown. */
  readonly total: number;
  /** `after` of the next page; null on the last one. */
  readonly next: string | null;
}

export interface ContentPage extends ItemPage {
  readonly limit: number;
  readonly offset: number;
}

const MAX_PAGE_BYTES = 5_000_000;
/**
 * Lambda's limit of 6,291,556 bytes, less headers. The page is a JSON string in the response, so quotes, backslashes
 * and line ends take more bytes there.
 */
const MAX_ENCODED_BYTES = 6_200_000;

/** @throws PAGE_TOO_LARGE, which names a limit that fits */
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
