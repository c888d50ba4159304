import type { HttpFunction } from '../http/endpoint-definition.ts';

/** The function of the default route. All its requests are rejected. */
export const endpoint = {
  id: '$default',
  paths: ['$default'],
  // Every response is an error, so a slower one does no harm.
  memoryMegabytes: 512,
  tables: {},
} as const satisfies HttpFunction;
