interface PageAddress {
  readonly path: string;
  readonly domain?: string;
  readonly slug?: string;
  readonly limit: number;
  readonly offset: number;
  /** The `after` of the next page. */
  readonly next: string | null;
}

type Start = { readonly offset: string } | { readonly after: string };

const linkTo = ({ path, limit, domain, slug }: PageAddress, start: Start, relation: string): string => {
  const limits = { limit: String(limit), ...start };
  const query = new URLSearchParams({ ...(domain && { domain }), ...(slug && { slug }), ...limits });
  return `<${path}?${query}>; rel="${relation}"`;
};

/** The `Link` header (RFC 8288) with relative links to the neighbouring pages; undefined when there are none. */
export const pageLinks = (address: PageAddress, total: number): string | undefined => {
  const { limit, offset, next } = address;
  const before = Math.max(0, Math.min(offset, total) - limit);
  const links = [
    ...(next === null ? [] : [linkTo(address, { after: next }, 'next')]),
    ...(offset > 0 && total > 0 ? [linkTo(address, { offset: String(before) }, 'prev')] : []),
  ];
  return links.length > 0 ? links.join(', ') : undefined;
};
