import { randomUUID } from 'node:crypto';

/** What API Gateway (HTTP API, payload 2.0) sends for the look-up that every peer answers. */
export const lookUpEvent = (key: string) => ({
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

/** What Lambda tells a function of its invocation, as far as any peer reads it. */
export const invocationContext = () => ({
  awsRequestId: randomUUID(),
  functionName: 'bench',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:eu-west-2:000000000000:function:bench',
  memoryLimitInMB: '512',
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => 10_000,
});
