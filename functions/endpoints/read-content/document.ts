import { ContentItem } from '../../../core/content/item.ts';
import { contentIdPath, type EndpointDocument } from '../document.ts';

export const document: EndpointDocument = {
  description: 'The `ETag` is the version, for `If-Match`.',
  path: contentIdPath,
  response: ContentItem,
  responseHeaders: ['ETag'],
};
