import { promisify } from 'node:util';
import { type ProgressBar, progressBar } from '../../../csv/progress-bar.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { ApiProblem, ConnectionError, type Sources, VehicleVerification } from '../index.ts';
import { type CheckArguments, HELP, type LookupArguments, readArguments } from './arguments.ts';
import { checkFile } from './check-file.ts';
import { answerLine, complianceCheck, formatNumber, insuranceCheck } from './checks.ts';
import { CannotRun, reasonOf } from './failure.ts';
import { replaceFiles } from './result-files.ts';
import { summarise } from './summary.ts';

const SOME_FAILED = 1;
const FAILED = 2;
const FOUND = 3;
const STOPPED = 130;
/** Attempts at each request: a service that is down for half a minute ends no check. */
const ATTEMPTS = 8;
/** In the address of the documents, which a reader replaces by that of the provider. */
const EXAMPLE_HOST = 'api.example.com';
/** Characters of an error that are printed: a response may quote anything. */
const MAX_ERROR_LENGTH = 10_000;

const { VEHICLE_VERIFICATION_BASE_URL: baseUrl = '', VEHICLE_VERIFICATION_API_KEY: apiKey = '' } = process.env;

/** Without keys, which an error may quote, and characters that could control the terminal or start a line. */
const printable = (line: string): string =>
  line.replace(/vvc_\w+/g, '(key)').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
const write = promisify((text: string, done: (error?: Error | null) => void) => process.stdout.write(text, done));
const print = (...lines: string[]): Promise<void> =>
  write(`${lines.map(printable).join('\n')}\n`).catch((error: unknown) => {
    throw new CannotRun(`Standard output cannot be written (${reasonOf(error)}).`);
  });

/** The last day of a key that ends soon, once a response has said it. */
let lastDayOfKey: string | undefined;

/** The fewest current suppliers that an answer has named. */
let fewestSources: Sources | undefined;
const onSources = (sources: Sources): void => {
  const missing = (each: Sources | undefined) => (each === undefined ? -1 : each.expected - each.current);
  if (missing(sources) > missing(fewestSources)) fewestSources = sources;
};

/** Reports once that requests are tried again: all attempts at a service that is down take a minute. */
const warnOnce = (bar?: ProgressBar) => {
  let hasWarned = false;
  return ({ message }: Error): void => {
    if (hasWarned) return;
    hasWarned = true;
    bar?.clear();
    const why = printable(message).slice(0, MAX_ERROR_LENGTH);
    process.stderr.write(`${why.replace(/\.?$/, '.')} Trying again, ${ATTEMPTS} times at most.\n`);
  };
};

const openClient = (bar?: ProgressBar): VehicleVerification => {
  // Any other text, such as a placeholder, could not be removed from what is printed.
  if (!/^vvc_\w+$/.test(apiKey.trim())) {
    throw new CannotRun('Set VEHICLE_VERIFICATION_API_KEY to the key that you were given, which begins with vvc_.');
  }
  const onKeyExpires = (lastDay: string): void => {
    lastDayOfKey = lastDay;
  };
  const events = { onRateLimit: bar?.showWait, onRetry: warnOnce(bar), onKeyExpires, onSources };
  try {
    if (baseUrl !== '') {
      const client = new VehicleVerification({ baseUrl, apiKey, attempts: ATTEMPTS, ...events });
      if (new URL(baseUrl).hostname !== EXAMPLE_HOST) return client;
    }
  } catch (error) {
    throw new CannotRun(`VEHICLE_VERIFICATION_BASE_URL is wrong. ${(error as TypeError).message}`);
  }
  throw new CannotRun(
    `Set VEHICLE_VERIFICATION_BASE_URL to the address of your provider, in place of https://${EXAMPLE_HOST}.`,
  );
};

const printJson = (value: unknown) => print(...JSON.stringify(value, null, 2).split('\n'));

const lookUp = async (args: LookupArguments, signal: AbortSignal): Promise<number> => {
  const { registrations, date, reference, isCompliance, isJson } = args;
  const kind = isCompliance ? complianceCheck : insuranceCheck;
  const answers = await kind.lookUp(openClient(), registrations, { date, reference, signal });
  if (isJson) await printJson(answers.map(({ entry }) => entry));
  else await print(...answers.map(({ cells }, at) => answerLine(kind, registrations[at] ?? '', cells, date)));
  return answers.some(({ cells }) => cells.error) ? SOME_FAILED : 0;
};

const showUsage = async (isJson: boolean, signal: AbortSignal): Promise<number> => {
  const usage = await openClient().usage({ signal });
  if (isJson) {
    await printJson(usage);
    return 0;
  }
  const { key, limits, window, allowance = [], hours } = usage;
  if (!key || !window || !hours) throw new CannotRun('The response is not the usage of a key with its window.');
  const sum = (field: 'requests' | 'rateLimited') =>
    formatNumber(hours.reduce((total, hour) => total + hour[field], 0));
  await print(
    `Key       ${key.name}, ${key.environment}, ${key.expires ? `valid to ${key.expires}` : 'no expiry'}`,
    `Scopes    ${key.scopes.join(', ')}`,
    `Plan      ${key.plan}: ${formatNumber(limits.requestsPerWindow)} requests in ${limits.windowSeconds} s, ${formatNumber(limits.registrationsPerBulk)} registrations in each`,
    `Window    ${formatNumber(window.used)} used, ${formatNumber(window.remaining)} left until ${window.resetsAt}`,
    ...allowance.map(
      ({ period, used, limit, resetsAt }) =>
        `${period.replace(/^./, (letter) => letter.toUpperCase()).padEnd(10)}${formatNumber(used)} of ${formatNumber(limit)} units used until ${resetsAt}`,
    ),
    `24 hours  ${sum('requests')} requests, ${sum('rateLimited')} of them over the limit`,
  );
  return 0;
};

/** Returns the exit code. */
const check = async (args: CheckArguments, signal: AbortSignal): Promise<number> => {
  const bar = progressBar(process.stderr);
  const client = openClient(bar);
  const { files, ...result } = await checkFile(args, { client, bar, signal, fewestSources: () => fewestSources });
  const { lines, hasFound, failed, unread } = summarise(args, result);
  await replaceFiles(files, async () => {
    signal.throwIfAborted();
    await print(...lines);
    signal.throwIfAborted();
  });
  if (hasFound) return FOUND;
  // With `--fail-on`, rows without an answer for good count only when it names `unanswered`.
  return (args.failOn.length > 0 ? unread : failed) > 0 ? SOME_FAILED : 0;
};

const runCommand = async (signal: AbortSignal): Promise<number> => {
  const args = readArguments(process.argv.slice(2));
  if (args.command === 'check') return check(args, signal);
  if (args.command === 'lookup') return lookUp(args, signal);
  if (args.command === 'usage') return showUsage(args.isJson, signal);
  await print(...(args.command === 'version' ? [packageJson.version] : HELP.split('\n')));
  return 0;
};

const describeError = (error: unknown): string => {
  if (error instanceof ApiProblem && error.status === 401) {
    return `The service does not accept the key in VEHICLE_VERIFICATION_API_KEY (request ${error.requestId}).`;
  }
  return (error as Error).message;
};

const reportFailure = (error: unknown, isStopped: boolean): number => {
  const isKnown = [ApiProblem, ConnectionError, CannotRun].some((kind) => error instanceof kind);
  const why = printable(isStopped ? 'Stopped.' : `${isKnown ? '' : 'Unexpected error: '}${describeError(error)}`)
    // Shortened after the keys are removed: otherwise half of a key could stay.
    .slice(0, MAX_ERROR_LENGTH);
  process.stderr.write(`${why}${/[.:?!]$/.test(why) ? '' : '.'}\n`);
  return isStopped ? STOPPED : FAILED;
};

export const run = async (): Promise<void> => {
  // Without a listener an error would end the process. `write` reports errors of standard output; nobody can read others.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const stop = new AbortController();
  // A second signal ends the process at once.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  try {
    process.exitCode = await runCommand(stop.signal);
  } catch (error) {
    process.exitCode = reportFailure(error, stop.signal.aborted);
  }
  if (lastDayOfKey !== undefined) {
    process.stderr.write(`${printable(`The key ends on ${lastDayOfKey}: ask for its successor.`)}\n`);
  }
};
