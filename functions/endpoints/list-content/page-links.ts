interface PageAddress {
  readonly path: string;
  readonly domain?: string;
  readonly slug?: string;
  readonly limit: number;
  readonly offset: number;
}

const linkTo = ({ path, limit, domain, slug }: PageAddress, offset: number, relation: string): string => {
  const query = new URLSearchParams({ ...(domain && { domain }), ...(slug && { slug }) });
  query.set('limit', String(limit));
  query.set('offset', String(offset));
  return `<${path}?${query}>; rel="${relation}"`;
};

/** The `Link` header (RFC 8288) with relative links to the neighbouring pages; undefined when there are none. */
export const pageLinks = (address: PageAddress, total: number): string | undefined => {
  const { limit, offset } = address;
  const links = [
    ...(offset + limit < total ? [linkTo(address, offset + limit, 'next')] : []),
    ...(offset > 0 && total > 0 ? [linkTo(address, Math.max(0, Math.min(offset, total) - limit), 'prev')] : []),
  ];
  return links.length > 0 ? links.join(', ') : undefined;
};
