/** The API on this machine: `npm start`. */
import { CannotStart, readOptions } from '../local/options.ts';
import { startLocalService } from '../local/service.ts';
import { startBanner } from '../local/start-banner.ts';
import { onStopSignal } from './stop-signals.ts';

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
