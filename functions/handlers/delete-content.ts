import { contentTable } from '../content/content-table.ts';
import { endpoint } from '../middleware/endpoint.ts';

/** Deletes a content item permanently. Specification section 4.4. */
export const handler = endpoint('delete-content', ({ db, tables }) => {
  const content = contentTable(db, tables.content);
  return async ({ parameters, headers, now, deadline }) => {
    await content.remove(parameters.id, headers['If-Match'], { now, deadline });
    return {};
  };
});
