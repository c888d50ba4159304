import type { DemoKeys } from './demo-keys.ts';
import { DEFAULT_DYNAMODB_PORT, type LocalOptions } from './options.ts';

interface RunningService {
  readonly origin: string;
  readonly dynamodb: string;
  readonly keys: DemoKeys;
}

type DataOptions = Pick<LocalOptions, 'dataDirectory' | 'dynamodbEndpoint'>;

/** The setting that `npm run admin` needs for an engine of this machine on another port than its default. */
const engineSetting = (dynamodb: string): string => {
  const { hostname, port } = new URL(dynamodb);
  const isOther = ['127.0.0.1', 'localhost'].includes(hostname) && port !== String(DEFAULT_DYNAMODB_PORT);
  return isOther ? ` DYNAMODB_PORT=${port}` : '';
};

const whereDataIsKept = ({ dataDirectory, dynamodbEndpoint }: DataOptions): string => {
  if (dynamodbEndpoint !== undefined) return `Data is kept by the DynamoDB at ${dynamodbEndpoint}.`;
  if (dataDirectory !== undefined) return `Data and demo keys are kept in ${dataDirectory}.`;
  return 'The data ends with it: npm start -- --data DIR keeps it.';
};

/** Printed when a service is ready: addresses, demo keys, the environment of the examples in docs/, requests. */
export const startBanner = ({ origin, dynamodb, keys }: RunningService, options: DataOptions): string => {
  const liveKeys = Object.values(keys.plans);
  const [firstKey, lastKey] = [liveKeys.at(0), liveKeys.at(-1)];
  const width = Math.max(...Object.keys(keys.plans).map((plan) => plan.length), 'standard'.length) + 2;
  const bulk = `curl -s -H 'Authorization: Bearer ${lastKey}' -H 'Content-Type: application/json' -d '{"registrations":["AB12 CDE","DG65 OLD","NO 5UCH"]}' ${origin}/v1/vehicle/bulk-insurance`;
  return [
    'Vehicle verification API',
    `  Try it        ${origin}/`,
    `  Base address  ${origin}/v1`,
    `  Reference     ${origin}/docs`,
    '  Guide         docs/integration.md',
    `  DynamoDB      ${dynamodb}`,
    '',
    '  Demo keys, one per plan',
    ...Object.entries(keys.plans).map(([plan, planKey]) => `    ${plan.padEnd(width)}${planKey}`),
    '',
    '  Test key: sees the sandbox only, as on every deployment',
    `    ${'test'.padEnd(width)}${keys.test}`,
    '',
    '  Try',
    `    export API_ORIGIN=${origin} API_KEY=${lastKey} API_TEST_KEY=${keys.test}${engineSetting(dynamodb)}`,
    `    curl -s -H 'X-API-Key: ${firstKey}' ${origin}/v1/vehicle/AB12CDE/insurance`,
    `    ${bulk}`,
    '',
    `Ready. Ctrl-C stops it. ${whereDataIsKept(options)}`,
  ].join('\n');
};
