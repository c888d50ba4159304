import { contentByKeyKind } from '../../../core/content/content-table.ts';
import { etagOf } from '../../../core/content/item.ts';
import { changedFields } from '../../../core/content/schemas.ts';
import { serve } from '../../http/serve.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';

/** Updates the fields of a content item that the body contains. docs/contract.md#content */
export const handler = serve({ endpoint, input }, ({ db, tables }) => {
  const content = contentByKeyKind(db, tables.content);
  return {
    respond: async ({ parameters, body, headers, caller, keyKind, now, deadline }) => {
      const item = await content[keyKind].update(parameters.id, changedFields(body), headers['If-Match'], {
        now,
        deadline,
        domains: caller.key.domains,
      });
      return { body: item, headers: { ETag: etagOf(item) } };
    },
  };
});
