import { ContentItem } from '../../../core/content/item.ts';
import { contentIdPath, type EndpointDocument, sampleItemPath } from '../document.ts';

export const document: EndpointDocument = {
  operationId: 'getContent',
  description: 'The `ETag` is the version, for `If-Match`.',
  path: contentIdPath,
  response: ContentItem,
  success: 'The item',
  responseHeaders: ['ETag'],
  examples: [
    { name: 'item', summary: 'An item and its version', request: { path: sampleItemPath } },
    { name: 'unknown', summary: 'An id that matches nothing', request: { path: { id: 'nothing' } } },
  ],
};
