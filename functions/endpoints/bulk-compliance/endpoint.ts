import type { Endpoint } from '../../http/endpoint-definition.ts';

export const endpoint = {
  id: 'bulk-compliance',
  method: 'POST',
  paths: ['/v1/vehicle/bulk-compliance'],
  summary: 'May these vehicles be on the road?',
  tag: 'Compliance',
  scope: 'compliance:read',
  successStatus: 200,
  problems: ['BULK_TOO_LARGE'],
  memoryMegabytes: 1_280,
  tables: { usage: ['GetItem'], vehicles: ['BatchGetItem'], compliance: ['BatchGetItem'] },
} as const satisfies Endpoint;
