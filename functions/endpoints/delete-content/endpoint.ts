import type { Endpoint } from '../../http/endpoint-definition.ts';

export const endpoint = {
  id: 'delete-content',
  method: 'DELETE',
  paths: ['/v1/api/content/{id}', '/api/content/{id}'],
  summary: 'Delete a content item permanently',
  tag: 'Content',
  scope: 'content:write',
  successStatus: 204,
  problems: ['VALIDATION_FAILED', 'CONTENT_NOT_FOUND', 'PRECONDITION_FAILED'],
  memoryMegabytes: 1_024,
  tables: { content: ['GetItem', 'UpdateItem', 'DeleteItem'] },
} as const satisfies Endpoint;
