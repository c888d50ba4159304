/** What a key that is bound to domains may do with content: docs/contract.md#content. */
import { apiError } from '../problems.ts';

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
