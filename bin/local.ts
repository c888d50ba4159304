/** The whole API on this machine: `npm start`. */
import { CannotStart, readOptions, USAGE } from '../lib/local/options.ts';
import { startLocalService } from '../lib/local/service.ts';
import { welcome } from '../lib/local/welcome.ts';

const say = (text: string) => process.stdout.write(`${text}\n`);

try {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) say(USAGE);
  else {
    const service = await startLocalService(options, ({ routeKey, status, milliseconds }) =>
      say(`${status}  ${milliseconds.toFixed(1).padStart(7)} ms  ${routeKey}`),
    );
    const stop = async () => {
      await service.stop();
      say('Stopped.');
      process.exit(0);
    };
    process.once('SIGINT', () => void stop());
    process.once('SIGTERM', () => void stop());
    say(welcome(service));
  }
} catch (error) {
  if (!(error instanceof CannotStart)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
