import { contentByKeyKind } from '../../../core/content/content-table.ts';
import { type ContentPage, readPageQuery, requirePageFits } from '../../../core/content/page.ts';
import { pageLinks } from '../../http/page-links.ts';
import { serve } from '../../http/serve.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';

/** A page of content items. docs/contract.md#content */
export const handler = serve({ endpoint, input }, ({ db, tables }) => {
  const content = contentByKeyKind(db, tables.content);
  return {
    respond: async ({ query, caller, keyKind, address, deadline }) => {
      const { filter, bounds } = readPageQuery(query, caller.key.domains);
      const { items, total } = await content[keyKind].list(filter, bounds, deadline);
      requirePageFits(items);
      return {
        body: { items, total, ...bounds } satisfies ContentPage,
        headers: { Link: pageLinks({ path: address, ...filter, ...bounds }, total) },
      };
    },
  };
});
