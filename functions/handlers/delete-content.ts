import { contentTables } from '../../core/content/content-table.ts';
import { endpoint } from '../http/endpoint.ts';

/** Deletes a content item permanently. docs/contract.md#content */
export const handler = endpoint('delete-content', ({ db, tables }) => {
  const content = contentTables(db, tables.content);
  return async ({ parameters, headers, caller, environment, now, deadline }) => {
    await content[environment].remove(parameters.id, headers['If-Match'], {
      now,
      deadline,
      domains: caller.key.domains,
    });
    return {};
  };
});
