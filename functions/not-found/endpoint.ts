import type { ServedEndpoint } from '../http/endpoint.ts';

/** The row of the default route, for every path and method without a row of its own. */
export const endpoint = {
  id: '$default',
  paths: ['$default'],
  // Never sent: the handler rejects every request, with 404 or 405.
  successStatus: 404,
  tables: {},
} as const satisfies ServedEndpoint;
