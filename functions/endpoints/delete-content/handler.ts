import { contentByKeyKind } from '../../../core/content/content-table.ts';
import { serve } from '../../http/serve.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';

/** Deletes a content item permanently. docs/contract.md#content */
export const handler = serve({ endpoint, input }, ({ db, tables }) => {
  const content = contentByKeyKind(db, tables.content);
  return {
    respond: async ({ parameters, headers, caller, keyKind, now, deadline }) => {
      await content[keyKind].remove(parameters.id, headers['If-Match'], { now, deadline, domains: caller.key.domains });
      return {};
    },
  };
});
