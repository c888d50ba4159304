import type { EndpointId } from '../../functions/endpoints.ts';

/** What generated clients call an endpoint: its id in camel case. */
export const operationIdOf = (id: EndpointId): string =>
  id.replace(/-([a-z])/g, (_hyphen, letter: string) => letter.toUpperCase());
