import type { ServedEndpoint } from '../http/endpoint.ts';

/** The row of the default route, for every path and method without a row of its own. */
export const endpoint = {
  id: '$default',
  paths: ['$default'],
  successStatus: 404,
  tables: {},
} as const satisfies ServedEndpoint;
