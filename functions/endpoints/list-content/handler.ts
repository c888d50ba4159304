import { contentData } from '../../../core/content/content-table.ts';
import { type ContentPage, readPageQuery, requirePageFits } from '../../../core/content/page.ts';
import { serve } from '../../http/stack.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';
import { pageLinks } from './page-links.ts';

export const handler = serve(
  { endpoint, data: contentData, input },
  async ({ input: { query }, caller, content, address, deadline }) => {
    const { filter, bounds, after } = readPageQuery(query, caller.key.domains);
    const page = await content.list(filter, { ...bounds, after }, deadline);
    requirePageFits(page.items);
    const { items, total, next } = page;
    const body: ContentPage = { items, total, ...bounds, next };
    const links = pageLinks({ path: address, ...filter, ...bounds, next }, total);
    return { body, headers: { ...(links !== undefined && { Link: links }) } };
  },
);
