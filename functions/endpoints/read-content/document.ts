import { ContentItem } from '../../../core/content/item.ts';
import { contentIdPath, type EndpointDocument, example, misplacedParameter, sampleItemPath } from '../document.ts';

export const document: EndpointDocument = {
  operationId: 'getContent',
  description: 'The `ETag` is the version, for `If-Match`.',
  path: contentIdPath,
  response: ContentItem,
  success: 'The item',
  responseHeaders: ['ETag'],
  examples: [
    example('item', 'An item and its version', { path: sampleItemPath }),
    example('unknown', 'An id that matches nothing', { path: { id: 'nothing' } }),
    misplacedParameter(sampleItemPath),
  ],
};
