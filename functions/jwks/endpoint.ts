import type { Endpoint, HttpFunction } from '../http/endpoint-definition.ts';

/** The endpoint of the public keys of signed answers. Only a stage that signs answers has this function. */
export const endpoint = {
  id: 'jwks',
  method: 'GET',
  paths: ['/.well-known/jwks.json'],
  successStatus: 200,
  isPublic: true,
  // Little memory is enough, because each instance reads the public keys once.
  memoryMegabytes: 512,
  signing: ['GetPublicKey'],
  tables: {},
} as const satisfies HttpFunction & Pick<Endpoint, 'method'>;
