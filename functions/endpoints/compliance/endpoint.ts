import type { Endpoint } from '../../http/endpoint-definition.ts';

export const endpoint = {
  id: 'compliance',
  method: 'GET',
  paths: ['/v1/compliance/{registration}'],
  summary: 'May this vehicle be on the road?',
  tag: 'Compliance',
  scope: 'compliance:read',
  successStatus: 200,
  problems: ['VALIDATION_FAILED', 'INVALID_REGISTRATION', 'VEHICLE_NOT_FOUND', 'COMPLIANCE_NOT_FOUND'],
  memoryMegabytes: 1_280,
  tables: { usage: ['GetItem'], vehicles: ['BatchGetItem'], compliance: ['BatchGetItem'] },
} as const satisfies Endpoint;
