/** Requests that cost their sender nothing and a careless service much. */
import { type Endpoint, type EndpointId, endpoints, fallback } from '../../functions/endpoints.ts';
import type { FunctionId } from '../../lib/cloud/bundles.ts';
import { gatewayEvent } from '../function-instance/gateway-event.ts';

/** Bytes that a body may have, and bytes of it that a lookup reads before admission. */
const LARGEST = 1_000_000;
const READ_EARLY = 16_000;

/** As many repetitions of a text between two others as a number of bytes holds. */
const filled = (start: string, text: string, end: string, bytes: number): string =>
  start + text.repeat(Math.floor((bytes - start.length - end.length) / text.length)) + end;

const unknownFields = (bytes: number): string => {
  const fields = Array.from(
    { length: Math.floor((bytes - 40) / 11) },
    (_, n) => `"${n.toString(36).padStart(5, '0')}":1`,
  );
  return `{"registrations":["A1"],${fields.join(',')}}`;
};

const bodiesOf = (bytes: number): Readonly<Record<string, string>> => ({
  numbers: filled('{"registrations":[1', ',1', ']}', bytes),
  'an escape and empty arrays': filled('{"registrations":["\\u0041"', ',[]', ']}', bytes),
  'unknown fields': unknownFields(bytes),
  'one array in another': filled('{"registrations":', '[', '', bytes / 2) + filled('', ']', '}', bytes / 2),
});

const HOSTILE_BODIES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(bodiesOf(LARGEST)).map(([name, body]) => [`1 MB of ${name}`, body])),
  ...Object.fromEntries(Object.entries(bodiesOf(READ_EARLY)).map(([name, body]) => [`16 kB of ${name}`, body])),
  '1,000 numbers': JSON.stringify({ registrations: Array(1_000).fill(1) }),
  '25 registrations': JSON.stringify({ registrations: Array.from({ length: 25 }, (_, n) => `A${n}`) }),
};

/** One request to one function; only the key is missing. */
export interface HostileRequest {
  readonly endpoint: FunctionId;
  readonly what: string;
  readonly event: (key: string) => object;
}

const eventOf =
  ({ method, paths: [path] }: Pick<Endpoint, 'method' | 'paths'>, more: object) =>
  (key: string) => ({
    ...gatewayEvent({
      method,
      path,
      key,
      headers: { 'content-type': 'application/json' },
      pathParameters: { registration: 'AB12CDE', id: '00000000-0000-4000-8000-000000000000' },
    }),
    ...more,
  });

const rows = Object.entries(endpoints) as [EndpointId, Endpoint][];

/** Every endpoint; with every hostile body where it takes one. */
export const hostileRequests: readonly HostileRequest[] = [
  ...rows.flatMap(([endpoint, row]): HostileRequest[] => {
    if (row.query) {
      const rawQueryString = 'limit=1&slug=!&'.repeat(600);
      return [{ endpoint, what: '9 kB of query', event: eventOf(row, { rawQueryString }) }];
    }
    if (row.body === undefined) return [{ endpoint, what: 'no body', event: eventOf(row, {}) }];
    const encoded = { body: Buffer.from(bodiesOf(12_000).numbers ?? '').toString('base64'), isBase64Encoded: true };
    return [
      ...Object.entries(HOSTILE_BODIES).map(([what, body]) => ({ endpoint, what, event: eventOf(row, { body }) })),
      { endpoint, what: '12 kB of numbers, base64-encoded', event: eventOf(row, encoded) },
    ];
  }),
  {
    endpoint: 'not-found',
    what: '1 MB of numbers',
    event: eventOf({ method: 'POST', paths: [`/${fallback.route}`] }, { body: bodiesOf(LARGEST).numbers }),
  },
];
