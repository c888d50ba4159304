/** What Lambda's runtime does for a handler, in a benchmark's process. */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
// Lambda's runtime client has loaded it before any function, so no bundle pays for it.
import 'node:http';

/** A response to API Gateway. */
export interface Answer {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Handler = (event: object, context: object) => Promise<Answer>;

/** Loads a bundle as Lambda's runtime does: CommonJS by `require`, ES modules by `import`. */
export const loadHandler = async (file: string): Promise<Handler> => {
  const { handler } = await (file.endsWith('.mjs') ? import(file) : createRequire(file)(file));
  return handler;
};

/** What API Gateway (HTTP API, payload 2.0) sends for the insurance lookup. */
export const lookupEvent = (key: string) => ({
  version: '2.0',
  routeKey: 'GET /v1/vehicle/{registration}/insurance',
  rawPath: '/v1/vehicle/AB12CDE/insurance',
  rawQueryString: '',
  headers: {
    accept: '*/*',
    'content-length': '0',
    host: 'api.example.com',
    'user-agent': 'curl/8.7.1',
    'x-amzn-trace-id': 'Root=1-68f0a1b2-0123456789abcdef01234567',
    'x-api-key': key,
    'x-forwarded-for': '192.0.2.1',
    'x-forwarded-port': '443',
    'x-forwarded-proto': 'https',
  },
  pathParameters: { registration: 'AB12CDE' },
  requestContext: {
    accountId: '000000000000',
    apiId: 'bench',
    domainName: 'api.example.com',
    domainPrefix: 'api',
    http: {
      method: 'GET',
      path: '/v1/vehicle/AB12CDE/insurance',
      protocol: 'HTTP/1.1',
      sourceIp: '192.0.2.1',
      userAgent: 'curl/8.7.1',
    },
    requestId: randomUUID(),
    routeKey: 'GET /v1/vehicle/{registration}/insurance',
    stage: '$default',
    time: '21/Nov/2026:09:00:00 +0000',
    timeEpoch: Date.now(),
  },
  isBase64Encoded: false,
});

/** The context of an invocation, as far as a handler reads it. */
export const invocationContext = () => ({
  awsRequestId: randomUUID(),
  functionName: 'bench',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:eu-west-2:000000000000:function:bench',
  memoryLimitInMB: '512',
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => 10_000,
});
