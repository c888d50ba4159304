import type { Endpoint } from '../../http/endpoint-definition.ts';

export const endpoint = {
  id: 'update-content',
  method: 'PUT',
  paths: ['/v1/api/content/{id}', '/api/content/{id}'],
  summary: 'Update a content item',
  tag: 'Content',
  scope: 'content:write',
  successStatus: 200,
  problems: ['CONTENT_NOT_FOUND', 'DOMAIN_FORBIDDEN', 'PRECONDITION_FAILED', 'SLUG_TAKEN'],
  memoryMegabytes: 1_024,
  tables: { content: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'] },
} as const satisfies Endpoint;
