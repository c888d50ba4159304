/** Processor time of requests without a valid key, whatever their bodies: an unauthenticated caller must not cost much. */
import { generateKey } from '../core/access/api-key.ts';
import { endpoints } from '../functions/endpoints/table.ts';
import type { Endpoint } from '../functions/http/endpoint.ts';
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

/** As many repetitions of a text between two others as fit into a number of bytes. */
const filled = (start: string, text: string, end: string, bytes: number): string =>
  start + text.repeat(Math.floor((bytes - start.length - end.length) / text.length)) + end;

const unknownFields = (bytes: number): string => {
  const fields = Array.from({ length: Math.floor((bytes - 40) / 11) }, (_, n) => `"${String(n).padStart(5, '0')}":1`);
  return `{"registrations":["A1"],${fields.join(',')}}`;
};

/** Bytes that a body may have, and bytes of it that a lookup reads before admission. */
const BODIES = Object.entries({ '1 MB': 1_000_000, '16 kB': 16_000 }).flatMap(([size, bytes]) => [
  { what: `${size} of numbers`, body: filled('{"registrations":[1', ',1', ']}', bytes) },
  { what: `${size} of an escape and empty arrays`, body: filled('{"registrations":["\\u0041"', ',[]', ']}', bytes) },
  { what: `${size} of unknown fields`, body: unknownFields(bytes) },
  {
    what: `${size} of one array in another`,
    body: filled('{"registrations":', '[', '', bytes / 2) + filled('', ']', '}', bytes / 2),
  },
]);

const IDS = { registration: 'AB12CDE', id: '00000000-0000-4000-8000-000000000000' };

/** Requests that cost their sender nothing and a careless service much; only the key is missing. */
const requestsOf = ({ method, paths: [path] }: Pick<Endpoint, 'method' | 'paths'>, hostile: readonly object[]) =>
  hostile.map((parts) => (key: string) => ({ ...gatewayEvent({ method, path, key, pathParameters: IDS }), ...parts }));

const hostileParts = (endpoint: keyof typeof documents) => {
  const { query, body } = documents[endpoint];
  if (query) return [{ what: '9 kB of query', rawQueryString: 'limit=1&slug=!&'.repeat(600) }];
  return body ? BODIES : [{ what: 'no body' }];
};

interface HostileRequest {
  readonly endpoint: FunctionId;
  readonly what: string;
  readonly event: (key: string) => object;
}

const hostileRequests: readonly HostileRequest[] = [
  ...(Object.keys(endpoints) as (keyof typeof endpoints)[]).map(
    (endpoint) => [endpoint, endpoints[endpoint], hostileParts(endpoint)] as const,
  ),
  ['not-found', { method: 'POST', paths: ['/not-found'] }, BODIES.slice(0, 1)] as const,
].flatMap(([endpoint, row, parts]) =>
  requestsOf(row, parts).map((event, index) => ({ endpoint, what: parts[index]?.what ?? '', event })),
);

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
      const measured: { endpoint: FunctionId; what: string; keyless: readonly number[]; forged: readonly number[] }[] =
        [];
      for (const { endpoint, what, event } of hostileRequests) {
        showProgress(measured.length, hostileRequests.length, `${endpoint}: ${what}`);
        const keyless = await cpuOf(await start(bundles[endpoint]), event(''));
        const forged = await cpuOf(await start(bundles[endpoint]), event(generateKey('live')));
        measured.push({ endpoint, what, keyless, forged });
      }
      const worst = Object.values(Object.groupBy(measured, ({ endpoint }) => endpoint)).flatMap((all = []) =>
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
          ['endpoint', 'request', 'keyless p50 ms', 'forged p50 ms', 'forged p99 ms'],
          worst.map(({ endpoint, what, keyless, forged }) => [
            ...[endpoint, what, median(keyless).toFixed(2)],
            ...[median(forged).toFixed(2), percentile(forged, 0.99).toFixed(2)],
          ]),
        ),
      ];
    } finally {
      engine.close();
    }
  });
export default measure;
