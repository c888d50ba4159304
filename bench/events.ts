/** Requests as API Gateway hands them to a function (HTTP API, payload 2.0). */
interface Request {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly json?: unknown;
}

/** The event of a request; equal requests make equal events. */
export const gatewayEvent = ({ method, path, key, pathParameters, query = '', json }: Request) => ({
  version: '2.0',
  routeKey: '$default',
  rawPath: path,
  rawQueryString: query,
  headers: {
    accept: '*/*',
    host: 'api.example.com',
    'user-agent': 'curl/8.7.1',
    'x-amzn-trace-id': 'Root=1-68f0a1b2-0123456789abcdef01234567',
    'x-forwarded-for': '192.0.2.1',
    'x-forwarded-port': '443',
    'x-forwarded-proto': 'https',
    'x-api-key': key,
    ...(method !== 'GET' && { 'content-type': 'application/json' }),
  },
  ...(pathParameters && { pathParameters }),
  requestContext: {
    requestId: 'JKJaXmPLvHcESHA=',
    // One moment, so that all requests of a key increment the same counter.
    timeEpoch: Date.parse('2026-06-15T12:00:10.000Z'),
    http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'curl/8.7.1' },
  },
  ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  isBase64Encoded: false,
});

const pathParameters = { registration: 'AB12CDE' };

/** The event of an insurance lookup of one of the sample vehicles. */
export const lookupEvent = (key: string) =>
  gatewayEvent({ method: 'GET', path: '/v1/vehicle/AB12CDE/insurance', key, pathParameters });

/** The event of a bulk request. */
export const bulkEvent = (
  endpoint: 'bulk-insurance' | 'bulk-compliance',
  key: string,
  registrations: readonly string[],
) => gatewayEvent({ method: 'POST', path: `/v1/vehicle/${endpoint}`, key, json: { registrations } });
