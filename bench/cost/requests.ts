/** The request of each endpoint whose cost is told, in a form that can be asked again and again. */
import type { EndpointId } from '../../functions/endpoints.ts';
import { gatewayEvent, lookUpEvent } from '../function-instance/gateway-event.ts';
import { generatedRegistration } from '../generated-vehicles.ts';
import { benchFields } from '../list/loaded-domain.ts';

export const BULK_SIZE = 1_000;
export const DOMAIN = 'bench.example';

/** One kind of request; `event` makes the nth of them, on content that no other one changes. */
export interface CostedRequest {
  readonly endpoint: EndpointId;
  readonly name: string;
  readonly event: (nth: number) => object;
}

const content = (method: string, key: string, id: string, json?: unknown) =>
  gatewayEvent({
    method,
    path: `/v1/api/content/${id}`,
    key,
    pathParameters: { id },
    ...(json === undefined ? {} : { json }),
  });

/** @param idOf the nth of the content items that are there to be read, changed and deleted */
export const costedRequests = (key: string, idOf: (nth: number) => string): readonly CostedRequest[] => [
  { endpoint: 'vehicle-insurance', name: 'insurance look-up', event: () => lookUpEvent('AB12CDE', key) },
  {
    endpoint: 'bulk-insurance',
    name: `bulk of ${BULK_SIZE.toLocaleString('en-GB')}`,
    event: () =>
      gatewayEvent({
        method: 'POST',
        path: '/v1/vehicle/bulk-insurance',
        key,
        json: { registrations: Array.from({ length: BULK_SIZE }, (_, n) => generatedRegistration(n)) },
      }),
  },
  {
    endpoint: 'compliance',
    name: 'compliance verdict',
    event: () =>
      gatewayEvent({
        method: 'GET',
        path: '/v1/compliance/AB12CDE',
        key,
        pathParameters: { registration: 'AB12CDE' },
      }),
  },
  {
    endpoint: 'list-content',
    name: 'list, 20 items of 1 kB',
    event: () =>
      gatewayEvent({ method: 'GET', path: '/v1/api/content', key, query: `domain=${DOMAIN}&limit=20&offset=100` }),
  },
  { endpoint: 'read-content', name: 'read an item', event: (nth) => content('GET', key, idOf(nth)) },
  {
    endpoint: 'create-content',
    name: 'create an item',
    event: (nth) =>
      gatewayEvent({ method: 'POST', path: '/v1/api/content', key, json: benchFields(DOMAIN, `created-${nth}`) }),
  },
  {
    endpoint: 'update-content',
    name: 'update an item',
    event: (nth) => content('PUT', key, idOf(nth), { title: `Title ${nth}` }),
  },
  { endpoint: 'delete-content', name: 'delete an item', event: (nth) => content('DELETE', key, idOf(nth)) },
];
