/** The functions in Lambda containers on this machine: `npm run sam`. */
import { CannotStart, readOptions } from '../lib/local/options.ts';
import { CleanUp } from '../lib/local/sam/clean-up.ts';
import { type SamService, startSamService } from '../lib/local/sam/service.ts';
import { startBanner } from '../lib/local/start-banner.ts';
import { onStopSignal } from './stop-signals.ts';

const USAGE = `Usage: npm run sam [-- OPTIONS OF sam local start-api]
  --skip-pull-image  use the local base image
Environment: PORT (default 3000), DYNAMODB_PORT (default 8000)`;

const CANNOT_START = 2;

const print = (text: string) => process.stdout.write(`${text}\n`);
const cleanUp = new CleanUp();

/** Stops everything that was started, then this process. */
const end = async (message: string, exitCode: number): Promise<void> => {
  try {
    await cleanUp.run();
  } catch (error) {
    process.stderr.write(`Not everything could be stopped: ${error}\n`);
    process.exit(CANNOT_START);
  }
  (exitCode === 0 ? process.stdout : process.stderr).write(`${message}\n`);
  process.exit(exitCode);
};

const printBanner = ({ origin, dynamodb, keys }: SamService) =>
  print(
    startBanner({
      title: 'Vehicle verification API, in Lambda containers',
      addresses: [
        ['Base address', `${origin}/v1`],
        ['DynamoDB', dynamodb],
      ],
      keys,
      heading: 'Try (the first request to each endpoint starts its container)',
      requests: [`curl -s -H 'X-API-Key: ${keys.free}' ${origin}/v1/vehicle/AB12CDE/insurance`],
    }),
  );

const run = async (samArguments: readonly string[]): Promise<void> => {
  const options = readOptions([]);
  if (options === undefined) return;
  const service = await startSamService({ ...options, samArguments, env: process.env, print }, cleanUp);
  printBanner(service);
  await service.ended;
  throw new CannotStart('sam local has ended unexpectedly.');
};

const stopped = () => end('Stopped.', 0);
let stopping = false;
const stop = () => {
  if (!stopping) void stopped();
  stopping = true;
};
// Repeated signals do not shorten the clean-up: remaining containers would keep running.
onStopSignal({ stop });
process.stdout.on('error', stop);

const args = process.argv.slice(2);
if (args.includes('--help')) print(USAGE);
else {
  try {
    await run(args);
  } catch (error) {
    // A stop signal makes the running start fail, which is expected.
    if (!stopping) {
      stopping = true;
      await end(error instanceof CannotStart ? error.message : String(error), CANNOT_START);
    }
  }
}
