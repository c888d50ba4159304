/** One fresh process: loads a bundle, asks it once, and tells its parent how long both took and what memory it came to. */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';

/** Lambda's runtime takes CommonJS by `require` and ES modules by `import`. */
const load = (file: string) => (file.endsWith('.mjs') ? import(file) : createRequire(import.meta.url)(file));

const [bundle = '', key = ''] = process.argv.slice(2);

const event = {
  version: '2.0',
  routeKey: 'GET /v1/vehicle/{registration}/insurance',
  rawPath: '/v1/vehicle/AB12CDE/insurance',
  rawQueryString: '',
  headers: { 'x-api-key': key },
  pathParameters: { registration: 'AB12CDE' },
  requestContext: { requestId: randomUUID(), timeEpoch: Date.now(), http: { method: 'GET' } },
  isBase64Encoded: false,
};

const startedAt = performance.now();
const { handler } = await load(bundle);
const importedAt = performance.now();
const { statusCode } = await handler(event, { getRemainingTimeInMillis: () => 10_000, functionName: 'bench' });
const answeredAt = performance.now();
if (statusCode !== 200) throw new Error(`the look-up answered ${statusCode}`);
process.send?.(
  {
    importMs: importedAt - startedAt,
    firstAnswerMs: answeredAt - importedAt,
    peakMegabytes: process.resourceUsage().maxRSS / 1_024,
  },
  undefined,
  undefined,
  () => process.exit(0),
);
