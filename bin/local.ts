/** The API on this machine: `npm start`. */
import { CannotStart, DEFAULT_DYNAMODB_PORT, readOptions } from '../local/options.ts';
import { type LocalService, startLocalService } from '../local/service.ts';
import { onStopSignal } from './stop-signals.ts';

/** The setting that `npm run admin` needs when the database has another port than its default. */
const portSetting = (dynamodb: string): string => {
  const { port } = new URL(dynamodb);
  return port === String(DEFAULT_DYNAMODB_PORT) ? '' : ` DYNAMODB_PORT=${port}`;
};

/** Printed when a service is ready: addresses, demo keys, the environment of the examples in docs/, requests. */
const startBanner = ({ origin, dynamodb, keys }: LocalService, dataDirectory?: string): string => {
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

const print = (text: string) => process.stdout.write(`${text}\n`);

try {
  const options = readOptions(process.argv.slice(2));
  if (typeof options === 'string') print(options);
  else {
    const starting = startLocalService(options, ({ routeKey, status, milliseconds }) =>
      print(`${status}  ${milliseconds.toFixed(1).padStart(7)} ms  ${routeKey}`),
    );
    let stopping = false;
    const stop = async () => {
      if (stopping) return;
      stopping = true;
      // A failed start is handled below.
      const service = await starting.catch(() => undefined);
      if (service === undefined) return;
      await service.stop();
      print('Stopped.');
      process.exit(0);
    };
    onStopSignal({ stop, stopNow: () => process.exit(130) });
    // The reader of the output may close it, as `| head` does.
    process.stdout.on('error', stop);
    print(startBanner(await starting, options.dataDirectory));
  }
} catch (error) {
  if (!(error instanceof CannotStart)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
