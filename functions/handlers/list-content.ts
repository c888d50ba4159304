import { contentTables } from '../../core/content/content-table.ts';
import { readPageQuery, requirePageFits } from '../../core/content/page.ts';
import { lookup } from '../http/lookup.ts';
import { pageLinks } from '../http/page-links.ts';

/** A page of content items. docs/contract.md#content */
export const handler = lookup('list-content', ({ db, tables }) => {
  const content = contentTables(db, tables.content);
  return {
    load: async ({ query, caller, environment, deadline }) => {
      const { filter, bounds } = readPageQuery(query, caller?.key.domains);
      return content[environment].list(filter, bounds, deadline);
    },
    isExpensive: ({ query }) => query.slug === undefined,
    // A key that is bound to one domain means that one.
    needsCaller: ({ query }) => query.domain === undefined,
    respond: ({ items, total }, { query, caller, address }) => {
      const { filter, bounds } = readPageQuery(query, caller.key.domains);
      requirePageFits(items);
      return {
        body: { items, total, ...bounds },
        headers: { Link: pageLinks({ path: address, ...filter, ...bounds }, total) },
      };
    },
  };
});
