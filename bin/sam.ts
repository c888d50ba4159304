/** The functions as Lambda would run them, in containers on this machine: `npm run sam`. */

import { CannotStart, readOptions } from '../lib/local/options.ts';
import { CleanUp } from '../lib/local/sam/clean-up.ts';
import { startSamService } from '../lib/local/sam/service.ts';
import { welcome } from '../lib/local/sam/welcome.ts';
import { onStopSignal } from './stop-signals.ts';

const USAGE = `Usage: npm run sam [-- OPTIONS OF sam local start-api]
  --skip-pull-image  use the base image that is there
Environment: PORT (default 3000), DYNAMODB_PORT (default 8000)`;

const CANNOT_START = 2;

const say = (text: string) => process.stdout.write(`${text}\n`);
const cleanUp = new CleanUp();

/** Ends all that was started, then this process. */
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

const run = async (samArguments: readonly string[]): Promise<void> => {
  const options = readOptions([]);
  if (options === undefined) return;
  const service = await startSamService({ ...options, samArguments, env: process.env, say }, cleanUp);
  say(welcome(service));
  await service.ended;
  throw new CannotStart('sam local has ended by itself.');
};

const stopped = () => end('Stopped.', 0);
let stopping = false;
const stop = () => {
  if (!stopping) void stopped();
  stopping = true;
};
// Nothing cuts the clean-up short: containers that are left behind would keep running.
onStopSignal({ stop });
process.stdout.on('error', stop);

const args = process.argv.slice(2);
if (args.includes('--help')) say(USAGE);
else {
  try {
    await run(args);
  } catch (error) {
    // A stop that was asked for makes what still starts fail; that is no fault.
    if (!stopping) {
      stopping = true;
      await end(error instanceof CannotStart ? error.message : String(error), CANNOT_START);
    }
  }
}
