import type { Endpoint } from '../../http/endpoint-definition.ts';

export const endpoint = {
  id: 'create-content',
  method: 'POST',
  paths: ['/v1/api/content', '/api/content'],
  summary: 'Create a content item',
  tag: 'Content',
  scope: 'content:write',
  successStatus: 201,
  problems: ['DOMAIN_FORBIDDEN', 'SLUG_TAKEN', 'IDEMPOTENCY_CONFLICT'],
  memoryMegabytes: 1_024,
  tables: { content: ['PutItem', 'UpdateItem'] },
} as const satisfies Endpoint;
