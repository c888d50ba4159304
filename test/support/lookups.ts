/** The endpoints that look vehicles up, from the table of endpoints: a new one joins the tests of every lookup. */
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import type { Endpoint } from '../../functions/http/endpoint-definition.ts';

const lookups = Object.values<Endpoint & { readonly id: EndpointId }>(endpoints).filter(
  ({ tables }) => tables.vehicles !== undefined,
);

/** The lookups of the one vehicle that the path names. */
export const SINGLE_LOOKUPS = lookups
  .filter(({ method }) => method === 'GET')
  .map(({ id, paths: [path] }) => ({
    id,
    path: (registration: string) => path.replace('{registration}', registration),
  }));

/** The paths of the lookups of the `registrations` in the body. */
export const BULK_LOOKUPS = lookups.filter(({ method }) => method === 'POST').map(({ paths: [path] }) => path);
