import type { Endpoint } from '../../http/endpoint-definition.ts';

export const endpoint = {
  id: 'bulk-insurance',
  method: 'POST',
  paths: ['/v1/vehicle/bulk-insurance'],
  summary: 'Are these vehicles insured?',
  tag: 'Vehicles',
  scope: 'vehicles:read',
  partScope: 'vehicles:status',
  successStatus: 200,
  problems: ['BULK_TOO_LARGE'],
  memoryMegabytes: 1_280,
  tables: { usage: ['GetItem'], vehicles: ['BatchGetItem'] },
} as const satisfies Endpoint;
