import type { Endpoint } from '../../http/endpoint-definition.ts';

export const endpoint = {
  id: 'read-content',
  method: 'GET',
  paths: ['/v1/api/content/{id}', '/api/content/{id}'],
  summary: 'Read a content item',
  tag: 'Content',
  scope: 'content:read',
  successStatus: 200,
  problems: ['VALIDATION_FAILED', 'CONTENT_NOT_FOUND'],
  memoryMegabytes: 1_280,
  tables: { content: ['GetItem'] },
} as const satisfies Endpoint;
