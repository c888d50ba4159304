import type { Endpoint } from '../../http/endpoint-definition.ts';

export const endpoint = {
  id: 'usage',
  method: 'GET',
  paths: ['/v1/usage'],
  summary: 'The key, its limits and its requests of the last 24 hours',
  tag: 'Usage',
  successStatus: 200,
  problems: ['VALIDATION_FAILED'],
  memoryMegabytes: 1_024,
  tables: { usage: ['Query'] },
} as const satisfies Endpoint;
