/** The operator CLI: `npm run --silent admin -- …`. */
import { processContext } from '../lib/admin/command/context.ts';
import { EXIT } from '../lib/admin/command/exit-codes.ts';
import { runAdmin } from '../lib/admin/program.ts';
import { onStopSignal } from './stop-signals.ts';

/** Milliseconds that Ctrl-C leaves for what is under way. */
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
// Whoever reads the output may stop reading, as `| head` does.
process.stdout.on('error', () => process.exit(EXIT.done));
// The terminal may be gone; what is under way is finished without it.
process.stderr.on('error', () => undefined);

process.exitCode = await runAdmin(process.argv.slice(2), processContext(interruption.signal));
