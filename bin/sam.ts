/** The functions in Lambda containers on this machine: `npm run sam`. */
import { CannotStart, readOptions } from '../lib/local/options.ts';
import { runSamLocal } from '../lib/local/sam/service.ts';
import { onStopSignal } from './stop-signals.ts';

const USAGE = 'Usage: npm run sam [-- OPTIONS OF sam local start-api], with PORT and DYNAMODB_PORT as for npm start\n';

const stopping = new AbortController();
const stop = () => stopping.abort();
// Repeated signals do not shorten the clean-up: remaining containers would keep running.
onStopSignal({ stop });
process.stdout.on('error', stop);

try {
  const samArguments = process.argv.slice(2);
  const options = samArguments.includes('--version') ? readOptions(['--version']) : readOptions([]);
  if (samArguments.includes('--help')) process.stdout.write(USAGE);
  else if (typeof options === 'string') process.stdout.write(`${options}\n`);
  else {
    await runSamLocal(options, samArguments, process.env, stopping.signal);
    process.stdout.write('Stopped.\n');
  }
} catch (error) {
  if (!(error instanceof CannotStart)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
