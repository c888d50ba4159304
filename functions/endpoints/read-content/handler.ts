import { contentByKeyKind } from '../../../core/content/content-table.ts';
import { etagOf, isAllowedDomain } from '../../../core/content/item.ts';
import { contentNotFound } from '../../../core/problems.ts';
import { serve } from '../../http/serve.ts';
import { endpoint } from './endpoint.ts';

/** Reads one content item. docs/contract.md#content */
export const handler = serve({ endpoint }, ({ db, tables }) => {
  const content = contentByKeyKind(db, tables.content);
  return {
    load: ({ parameters, keyKind }) => content[keyKind].find(parameters.id),
    respond: ({ caller }, stored) => {
      if (stored === undefined || !isAllowedDomain(caller.key.domains, stored.item.domain)) {
        throw contentNotFound();
      }
      return { body: stored.item, headers: { ETag: etagOf(stored.item) } };
    },
  };
});
