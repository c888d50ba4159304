/** A request as API Gateway hands it to a function (payload 2.0). */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** The moment of every event: all of them lie in one window, so that a counter's answer can be repeated. */
export const MOMENT = new Date('2026-06-15T12:00:10.000Z');

/** As long as one of API Gateway's. */
const REQUEST_ID = 'JKJaXmPLvHcESHA=';

/** The event of a request; equal requests make equal events. */
export const gatewayEvent = ({ method, path, key, pathParameters, query = '', headers, json }: Request) => ({
  version: '2.0',
  rawPath: path,
  rawQueryString: query,
  headers: { 'x-api-key': key, ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  ...(pathParameters && { pathParameters }),
  requestContext: { requestId: REQUEST_ID, timeEpoch: MOMENT.getTime(), http: { method } },
  ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  isBase64Encoded: false,
});

/** The event of an insurance look-up. */
export const lookUpEvent = (registration: string, key: string) =>
  gatewayEvent({
    method: 'GET',
    path: `/v1/vehicle/${registration}/insurance`,
    key,
    pathParameters: { registration },
  });
