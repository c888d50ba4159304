/** The operator CLI: `npm run --silent admin -- …`. */

import { EXIT } from '../lib/admin/command/command-result.ts';
import { processContext } from '../lib/admin/command/context.ts';
import { runAdmin } from '../lib/admin/program.ts';
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
// The reader of the output may close it, as `| head` does.
process.stdout.on('error', () => process.exit(EXIT.done));
// The terminal may be closed; running work continues without it.
process.stderr.on('error', () => undefined);

process.exitCode = await runAdmin(process.argv.slice(2), processContext(interruption.signal, process.env));
