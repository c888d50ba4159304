/** The operator CLI: `npm run --silent admin -- …`. */

import { EXIT } from '../admin/command/command-result.ts';
import { processContext } from '../admin/command/context.ts';
import { runAdmin } from '../admin/program.ts';
import { onStopSignal } from './stop-signals.ts';

/** Milliseconds between Ctrl-C and the forced end of running work. */
const GRACE_MS = 5_000;

const interruption = new AbortController();
const stopNow = () => process.exit(EXIT.interrupted);
onStopSignal({
  stop: () => {
    interruption.abort();
    setTimeout(stopNow, GRACE_MS).unref();
  },
  stopNow,
});
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  // The reader of the output may close it, as `| head` does.
  if (code === 'EPIPE') return;
  const error = `standard output cannot be written (${code})`;
  const isJson = process.argv.includes('--json');
  process.stderr.write(isJson ? `${JSON.stringify({ error, exitCode: EXIT.notDone })}\n` : `error: ${error}\n`);
  process.once('exit', () => {
    process.exitCode = EXIT.notDone;
  });
});
// The terminal may be closed; running work continues without it.
process.stderr.on('error', () => undefined);

process.exitCode = await runAdmin(process.argv.slice(2), processContext(interruption.signal, process.env));
