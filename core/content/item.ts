/** Rules of content items: the record and its versions, the domains of a key (docs/contract.md#content). */
import { domainForbidden } from '../problems.ts';
import type { RecordOf } from '../schemas/record-schema.ts';

/** The stored record. `schemas.ts` has the rules for new values. */
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

export type ContentItem = RecordOf<typeof ContentItem>;

/** The fields that a caller writes; `domain` in lower case. */
export type ContentFields = Omit<ContentItem, 'id' | 'created_at' | 'updated_at' | 'version'>;

/** The latest timestamp. All must have one format, because they are compared as text. */
export const latest = (...timestamps: readonly string[]): string =>
  timestamps.reduce((last, one) => (one > last ? one : last));

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const isContentId = (id: string): boolean => UUID.test(id);

export const etagOf = ({ version }: Pick<ContentItem, 'version'>): string => `"${version}"`;

/** The domains that a caller's key is bound to, in lower case; undefined for a key that may use any. */
export type BoundDomains = readonly string[] | undefined;

/** Whether content of a domain, in lower case, exists for the caller. A subdomain is another domain. */
export const isAllowedDomain = (domains: BoundDomains, domain: string): boolean =>
  domains === undefined || domains.includes(domain);

/** Checks the domain of a write or list; undefined is a list of all domains. @throws DOMAIN_FORBIDDEN */
export const requireDomain = (domains: BoundDomains, domain: string | undefined): void => {
  if (domains === undefined || (domain !== undefined && domains.includes(domain))) return;
  throw domainForbidden(domains);
};
