import { type Endpoint, type EndpointId, endpoints } from '../../functions/endpoints.ts';
import type { FunctionId } from '../cloud/bundles.ts';
import { examples } from '../openapi/examples/all-examples.ts';
import { EXAMPLE_REQUEST_ID, EXAMPLE_TIME, type ExampleRequest } from '../openapi/examples/example.ts';

/** A request to rehearse and the status of its answer. */
export interface Rehearsal {
  readonly event: object;
  readonly status: number;
}

/** Members that every event has. */
const arrival = (method: string, key: string) => ({
  version: '2.0',
  requestContext: { requestId: EXAMPLE_REQUEST_ID, timeEpoch: Date.parse(EXAMPLE_TIME), http: { method } },
  headers: { 'x-api-key': key },
  isBase64Encoded: false,
});

const eventOf = (row: Endpoint, { path = {}, query = {}, headers = {}, body }: ExampleRequest, key: string) => {
  const { headers: common, ...event } = arrival(row.method, key);
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const sent = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...event,
    headers: { ...common, 'content-type': 'application/json', ...Object.fromEntries(sent) },
    rawPath: row.paths[0].replaceAll(/\{(\w+)\}/g, (_slot, name: string) => path[name] ?? ''),
    rawQueryString: String(search),
    pathParameters: path,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
};

/**
 * What a function is asked before its code is kept: the first of its endpoint's documented examples, which succeeds.
 * @throws Error when an endpoint has no example
 */
export const rehearsalOf = (id: FunctionId, key: string): Rehearsal => {
  if (id === 'not-found') return { event: { ...arrival('GET', key), rawPath: '/nowhere' }, status: 404 };
  const [example] = examples[id satisfies EndpointId];
  if (example === undefined) throw new Error(`${id} has no example`);
  return { event: eventOf(endpoints[id], example.request, key), status: example.status };
};
