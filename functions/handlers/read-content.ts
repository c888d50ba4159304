import { contentTables } from '../content/content-table.ts';
import { isAllowedDomain } from '../content/domain-binding.ts';
import { etagOf } from '../content/item.ts';
import { lookup } from '../middleware/lookup.ts';
import { apiError } from '../problems.ts';

/** Reads one content item. contract.md "Content". */
export const handler = lookup('read-content', ({ db, tables }) => {
  const content = contentTables(db, tables.content);
  return {
    load: ({ parameters, environment }) => content[environment].find(parameters.id),
    respond: (stored, { caller }) => {
      if (stored === undefined || !isAllowedDomain(caller.key.domains, stored.item.domain)) {
        throw apiError('CONTENT_NOT_FOUND');
      }
      return { body: stored.item, headers: { ETag: etagOf(stored.item) } };
    },
  };
});
