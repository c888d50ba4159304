import { pageTooLarge } from '../problems.ts';
import { type BoundDomains, type ContentItem, requireDomain } from './item.ts';

export const DEFAULT_LIMIT = 20;

/** A list request. `after` is the `next` of the page before, and `offset` is then 0. */
export interface PageRequest {
  readonly domain?: string | undefined;
  readonly slug?: string;
  readonly limit: number;
  readonly offset: number;
  readonly after?: string | undefined;
}

/**
 * The list request of a query. Without a domain, a key that is bound to one domain lists that one.
 * @throws DOMAIN_FORBIDDEN
 */
export const readPageQuery = (query: Partial<PageRequest>, domains?: BoundDomains): PageRequest => {
  const domain = query.domain?.toLowerCase() ?? (domains?.length === 1 ? domains[0] : undefined);
  requireDomain(domains, domain);
  return { limit: DEFAULT_LIMIT, offset: 0, ...query, domain };
};

export interface ItemPage {
  readonly items: readonly ContentItem[];
  /** Items that match the filter: exact while nobody changes the list, otherwise at least what the page has shown. */
  readonly total: number;
  /** `after` of the next page; null on the last one. */
  readonly next: string | null;
}

export type ContentPage = ItemPage & Pick<PageRequest, 'limit' | 'offset'>;

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
