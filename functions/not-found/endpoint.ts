import type { ServedEndpoint } from '../http/endpoint.ts';

/** Every path and method without a row: 404 or 405 with a valid key, 401 without. */
export const endpoint = {
  id: '$default',
  paths: ['$default'],
  successStatus: 404,
  tables: {},
} as const satisfies ServedEndpoint;
