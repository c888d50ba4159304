import { ContentItem } from '../../../core/content/item.ts';
import { BODY, CONTENT_FIELDS, DOMAINS, type EndpointDocument } from '../document.ts';
import { input } from './input.ts';

export const document: EndpointDocument = {
  description: `With an \`Idempotency-Key\`, the same request within 24 hours returns the same item and creates nothing; the same key with another body is 409. An API key that was rotated and its successor share their creations. ${DOMAINS} ${CONTENT_FIELDS} ${BODY}`,
  ...input.schemas,
  response: ContentItem,
  responseHeaders: ['Location', 'ETag'],
  links: {
    ReadItem: { endpoint: 'read-content', description: 'Read the item' },
    UpdateItem: { endpoint: 'update-content', description: 'Update the item' },
    DeleteItem: { endpoint: 'delete-content', description: 'Delete the item' },
  },
};
