import type { HttpFunction } from '../http/endpoint-definition.ts';

/** The function of the default route. All its requests are rejected, so its status is never sent. */
export const endpoint = {
  id: '$default',
  paths: ['$default'],
  successStatus: 404,
  // Every response is an error, so a slower one does no harm.
  memoryMegabytes: 512,
  tables: {},
} as const satisfies HttpFunction;
