/** From the validated bodies of requests to the fields of an item. */
import type { Static } from 'typebox';
import type { ContentFields } from './item.ts';
import { type CreateContent, READ_ONLY_FIELDS, type UpdateContent } from './schemas.ts';

/** The fields of a new item, defaults filled in. */
export const newFields = ({ meta_description = '', ...body }: Static<typeof CreateContent>): ContentFields => ({
  ...body,
  meta_description,
  domain: body.domain.toLowerCase(),
});

/** The fields that an update changes; what the service sets itself is left aside. */
export const changedFields = (body: Static<typeof UpdateContent>): Partial<ContentFields> => {
  const writable = Object.entries(body).filter(([field]) => !(READ_ONLY_FIELDS as readonly string[]).includes(field));
  const changes: Partial<ContentFields> = Object.fromEntries(writable);
  return changes.domain === undefined ? changes : { ...changes, domain: changes.domain.toLowerCase() };
};
