/** The whole API on this machine: `npm start`. */
import { CannotStart, readOptions, USAGE } from '../lib/local/options.ts';
import { startLocalService } from '../lib/local/service.ts';
import { welcome } from '../lib/local/welcome.ts';
import { onStopSignal } from './stop-signals.ts';

const INTERRUPTED = 130;

const say = (text: string) => process.stdout.write(`${text}\n`);

try {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) say(USAGE);
  else {
    // The data and the keys that it writes are for its owner alone.
    process.umask(0o077);
    const starting = startLocalService(options, ({ routeKey, status, milliseconds }) =>
      say(`${status}  ${milliseconds.toFixed(1).padStart(7)} ms  ${routeKey}`),
    );
    let stopping = false;
    const stop = async () => {
      if (stopping) return;
      stopping = true;
      // A start that fails ends the process by itself.
      const service = await starting.catch(() => undefined);
      if (service === undefined) return;
      await service.stop();
      say('Stopped.');
      process.exit(0);
    };
    onStopSignal({ stop, stopNow: () => process.exit(INTERRUPTED) });
    // Whoever reads the output may stop reading, as `| head` does.
    process.stdout.on('error', stop);
    say(welcome(await starting));
  }
} catch (error) {
  if (!(error instanceof CannotStart)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
