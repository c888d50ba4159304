import { DEFAULT_DYNAMODB_PORT } from './options.ts';
import type { LocalService } from './service.ts';

/** The setting that `npm run admin` needs when the database has another port than its default. */
const portSetting = (dynamodb: string): string => {
  const { port } = new URL(dynamodb);
  return port === String(DEFAULT_DYNAMODB_PORT) ? '' : ` DYNAMODB_PORT=${port}`;
};

/** Printed when a service is ready: addresses, demo keys, the environment of the examples in docs/, requests. */
export const startBanner = ({ origin, dynamodb, keys }: Omit<LocalService, 'stop'>, dataDirectory?: string): string => {
  const liveKeys = Object.values(keys.plans);
  const [firstKey, lastKey] = [liveKeys.at(0), liveKeys.at(-1)];
  const width = Math.max(...Object.keys(keys.plans).map((plan) => plan.length), 'standard'.length) + 2;
  const data = dataDirectory
    ? `Data and demo keys are kept in ${dataDirectory}.`
    : 'The data ends with it: npm start -- --data DIR keeps it.';
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
    `    export API_ORIGIN=${origin} API_KEY=${lastKey} API_TEST_KEY=${keys.test}${portSetting(dynamodb)}`,
    `    curl -s -H 'X-API-Key: ${firstKey}' ${origin}/v1/vehicle/AB12CDE/insurance`,
    `    ${bulk}`,
    '',
    `Ready. Ctrl-C stops it. ${data}`,
  ].join('\n');
};
