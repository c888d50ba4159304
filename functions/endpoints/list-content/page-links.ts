import type { ItemPage, PageRequest } from '../../../core/content/page.ts';

/** The `Link` header (RFC 8288) with relative links to the neighbouring pages; undefined when there are none. */
export const pageLinks = (
  path: string,
  { domain, slug, limit, offset }: PageRequest,
  { total, next }: Pick<ItemPage, 'total' | 'next'>,
): string | undefined => {
  const linkTo = (start: { readonly offset: string } | { readonly after: string }, relation: string): string => {
    const filter = { ...(domain && { domain }), ...(slug && { slug }) };
    return `<${path}?${new URLSearchParams({ ...filter, limit: String(limit), ...start })}>; rel="${relation}"`;
  };
  const before = Math.max(0, Math.min(offset, total) - limit);
  const links = [
    ...(next === null ? [] : [linkTo({ after: next }, 'next')]),
    ...(offset > 0 && total > 0 ? [linkTo({ offset: String(before) }, 'prev')] : []),
  ];
  return links.length > 0 ? links.join(', ') : undefined;
};
