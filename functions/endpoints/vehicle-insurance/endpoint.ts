import type { Endpoint } from '../../http/endpoint-definition.ts';

export const endpoint = {
  id: 'vehicle-insurance',
  method: 'GET',
  paths: ['/v1/vehicle/{registration}/insurance'],
  summary: 'Is this vehicle insured?',
  tag: 'Vehicles',
  scope: 'vehicles:read',
  partScope: 'vehicles:status',
  successStatus: 200,
  problems: ['VALIDATION_FAILED', 'INVALID_REGISTRATION', 'VEHICLE_NOT_FOUND'],
  memoryMegabytes: 1_280,
  tables: { usage: ['GetItem'], vehicles: ['GetItem'] },
} as const satisfies Endpoint;
