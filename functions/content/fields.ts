/** From the validated bodies of requests to the fields of an item. */
import type { Static } from 'typebox';
import type { ContentFields } from './item.ts';
import { CreateContent, type UpdateContent } from './schemas.ts';

const FIELDS = Object.keys(CreateContent.properties) as readonly (keyof ContentFields)[];

/** The fields of a new item, defaults filled in. */
export const newFields = (body: Static<typeof CreateContent>): ContentFields => {
  const { title, content, domain, slug, meta_description = '' } = body;
  return { title, content, domain: domain.toLowerCase(), slug, meta_description };
};

/** The fields that an update changes; what the service sets itself is left aside. */
export const changedFields = (body: Static<typeof UpdateContent>): Partial<ContentFields> => {
  const sent = FIELDS.filter((field) => body[field] !== undefined);
  const changes: Partial<ContentFields> = Object.fromEntries(sent.map((field) => [field, body[field]]));
  return changes.domain === undefined ? changes : { ...changes, domain: changes.domain.toLowerCase() };
};
