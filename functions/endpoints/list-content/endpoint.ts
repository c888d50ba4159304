import type { Endpoint } from '../../http/endpoint-definition.ts';

export const endpoint = {
  id: 'list-content',
  method: 'GET',
  paths: ['/v1/api/content', '/api/content'],
  summary: 'List content items',
  tag: 'Content',
  scope: 'content:read',
  successStatus: 200,
  problems: ['VALIDATION_FAILED', 'PAGE_TOO_LARGE', 'DOMAIN_FORBIDDEN'],
  memoryMegabytes: 1_024,
  tables: { content: ['GetItem', 'BatchGetItem', 'Query'] },
} as const satisfies Endpoint;
