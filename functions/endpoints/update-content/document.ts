import { ContentItem } from '../../../core/content/item.ts';
import { BODY, CONTENT_FIELDS, contentIdPath, DOMAINS, type EndpointDocument, IF_MATCH } from '../document.ts';
import { input } from './input.ts';

export const document: EndpointDocument = {
  description: `Omitted fields keep their value, so a full body replaces the item. \`id\`, \`created_at\`, \`updated_at\` and \`version\` are ignored. Every update increments \`version\`. ${IF_MATCH} ${DOMAINS} ${CONTENT_FIELDS} ${BODY}`,
  path: contentIdPath,
  ...input.schemas,
  response: ContentItem,
  responseHeaders: ['ETag'],
};
