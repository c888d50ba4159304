/** Processor time of requests without a valid key, whatever their bodies: an unauthenticated caller must not cost much. */
import { generateKey } from '../core/access/api-key.ts';
import { type EndpointId, endpoints } from '../functions/endpoints/table.ts';
import type { Endpoint } from '../functions/http/endpoint.ts';
import { endpoint as notFound } from '../functions/not-found/endpoint.ts';
import type { FunctionId } from '../lib/endpoint-files.ts';
import { documents } from '../lib/openapi/documents.ts';
import { prepareEngine } from '../test/support/prepared-engine.ts';
import { gatewayEvent } from './events.ts';
import { type FunctionProcess, withFunctions } from './functions.ts';
import { atMost, median, percentile, showProgress, table, targetTable } from './report.ts';

/** Until V8 is done compiling: its threads count as processor time of the process. */
const WARM_UP = 600;
const INVOCATIONS = 300;
/** Milliseconds of processor time, median. */
const LIMIT_MS = 2;
/** Bytes that a body may have, and bytes of it that a lookup reads before admission. */
const LARGEST = 1_000_000;
const READ_EARLY = 16_000;

/** As many repetitions of a text between two others as fit into a number of bytes. */
const filled = (start: string, text: string, end: string, bytes: number): string =>
  start + text.repeat(Math.floor((bytes - start.length - end.length) / text.length)) + end;

const unknownFields = (bytes: number): string => {
  const fields = Array.from({ length: Math.floor((bytes - 40) / 11) }, (_, n) => `"${String(n).padStart(5, '0')}":1`);
  return `{"registrations":["A1"],${fields.join(',')}}`;
};

const BODIES = Object.entries({ '1 MB': LARGEST, '16 kB': READ_EARLY }).flatMap(([size, bytes]) => [
  { what: `${size} of numbers`, body: filled('{"registrations":[1', ',1', ']}', bytes) },
  { what: `${size} of an escape and empty arrays`, body: filled('{"registrations":["\\u0041"', ',[]', ']}', bytes) },
  { what: `${size} of unknown fields`, body: unknownFields(bytes) },
  {
    what: `${size} of one array in another`,
    body: filled('{"registrations":', '[', '', bytes / 2) + filled('', ']', '}', bytes / 2),
  },
]);

/** A request that costs its sender nothing and a careless service much; only the key is missing. */
interface HostileRequest {
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

const requestsOf = ([endpoint, row]: readonly [EndpointId, Endpoint]): readonly HostileRequest[] => {
  const { query, body: schema } = documents[endpoint];
  if (query) {
    return [
      { endpoint, what: '9 kB of query', event: eventOf(row, { rawQueryString: 'limit=1&slug=!&'.repeat(600) }) },
    ];
  }
  if (schema === undefined) return [{ endpoint, what: 'no body', event: eventOf(row, {}) }];
  return BODIES.map(({ what, body }) => ({ endpoint, what, event: eventOf(row, { body }) }));
};

const hostileRequests: readonly HostileRequest[] = [
  ...(Object.entries(endpoints) as [EndpointId, Endpoint][]).flatMap(requestsOf),
  {
    endpoint: 'not-found',
    what: '1 MB of numbers',
    event: eventOf({ method: 'POST', paths: [`/${notFound.id}`] }, { body: BODIES[0]?.body }),
  },
];

/** @throws Error when a request is not answered by 401 */
const cpuOf = async (process: FunctionProcess, event: object): Promise<readonly number[]> => {
  await process.invoke([event], { repeat: WARM_UP, status: 401 });
  const { invocations } = await process.invoke([event], { repeat: INVOCATIONS, status: 401 });
  await process.end();
  return invocations.map(({ cpuMs }) => cpuMs);
};

const METHOD = [
  `The deployed bundles, logs and metrics on, each request in a process of its own: ${WARM_UP} invocations to warm up, ${INVOCATIONS} that`,
  "count. Processor time is user and system time of the function's process, not the database's. A keyless request has no key at",
  'all; a forged key is well-formed and exists nowhere, so the database is read to reject it. The worst request of each endpoint:',
].join('\n');

const measure = (): Promise<readonly string[]> =>
  withFunctions(async ({ deployed, start }) => {
    const bundles = await deployed();
    const engine = await prepareEngine();
    try {
      const measured: {
        readonly request: HostileRequest;
        readonly keyless: readonly number[];
        readonly forged: readonly number[];
      }[] = [];
      for (const [index, request] of hostileRequests.entries()) {
        showProgress(index, hostileRequests.length, `${request.endpoint}: ${request.what}`);
        const file = bundles[request.endpoint];
        const keyless = await cpuOf(await start(file), request.event(''));
        const forged = await cpuOf(await start(file), request.event(generateKey('live')));
        measured.push({ request, keyless, forged });
      }
      const worst = Object.values(Object.groupBy(measured, ({ request }) => request.endpoint)).flatMap((all = []) =>
        all.toSorted((a, b) => median(b.forged) - median(a.forged)).slice(0, 1),
      );
      const highest = (caller: 'keyless' | 'forged') => Math.max(...measured.map((one) => median(one[caller])));
      return [
        targetTable(
          atMost('Median CPU ms without a key, worst of all endpoints and bodies', LIMIT_MS, highest('keyless')),
          atMost('Median CPU ms with a forged key, worst of all', LIMIT_MS, highest('forged')),
        ),
        METHOD,
        table(
          ['endpoint', 'request', 'keyless p50 ms', 'keyless p99 ms', 'forged p50 ms', 'forged p99 ms'],
          worst.map(({ request: { endpoint, what }, keyless, forged }) => [
            endpoint,
            what,
            ...[keyless, forged].flatMap((cpu) => [median(cpu).toFixed(2), percentile(cpu, 0.99).toFixed(2)]),
          ]),
        ),
      ];
    } finally {
      engine.close();
    }
  });
export default measure;
