import type { HttpFunction } from '../http/endpoint-definition.ts';

/** The function of the default route. All its requests are rejected, so its status is never sent. */
export const endpoint = {
  id: '$default',
  paths: ['$default'],
  successStatus: 404,
  // Its answer is an error in any case.
  memoryMegabytes: 512,
  // A stage that signs answers has one more path.
  signing: [],
  tables: {},
} as const satisfies HttpFunction;
