/** The operator CLI: `npm run --silent admin -- …`. */
import { processContext } from '../lib/admin/context.ts';
import { EXIT } from '../lib/admin/exit-codes.ts';
import { runAdmin } from '../lib/admin/program.ts';

/** Milliseconds that Ctrl-C leaves for what is under way. */
const GRACE_MS = 5_000;

const interruption = new AbortController();
process.on('SIGINT', () => {
  const end = () => process.exit(EXIT.interrupted);
  if (interruption.signal.aborted) end();
  interruption.abort();
  setTimeout(end, GRACE_MS).unref();
});
// Whoever reads the output may stop reading, as `| head` does.
process.stdout.on('error', () => process.exit(EXIT.done));

process.exitCode = await runAdmin(process.argv.slice(2), processContext(interruption.signal));
