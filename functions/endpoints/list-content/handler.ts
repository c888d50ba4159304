import { contentTables } from '../../../core/content/content-tables.ts';
import { type ContentPage, readPageQuery, requirePageFits } from '../../../core/content/page.ts';
import { pageLinks } from '../../http/page-links.ts';
import { serve } from '../../http/serve.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';

/** A page of content items. docs/contract.md#content */
export const handler = serve({ endpoint, input }, ({ db, tables }) => {
  const content = contentTables(db, tables.content);
  return {
    load: async ({ query, caller, keyKind, deadline }) => {
      const { filter, bounds } = readPageQuery(query, caller?.key.domains);
      return content[keyKind].list(filter, bounds, deadline);
    },
    isExpensive: ({ query }) => query.slug === undefined,
    // Without `domain`, the list of a key that is bound to one domain is of that domain.
    needsCaller: ({ query }) => query.domain === undefined,
    respond: ({ query, caller, address }, { items, total }) => {
      const { filter, bounds } = readPageQuery(query, caller.key.domains);
      requirePageFits(items);
      return {
        body: { items, total, ...bounds } satisfies ContentPage,
        headers: { Link: pageLinks({ path: address, ...filter, ...bounds }, total) },
      };
    },
  };
});
