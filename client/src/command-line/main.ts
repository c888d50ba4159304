#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { ApiProblem, ConnectionError, VehicleVerification } from '../index.ts';
import { CONCURRENCY, checkFile, Interrupted } from './check-file.ts';
import { CannotRun } from './failure.ts';

const HELP = `Usage: vehicle-verification check FILE.csv --out RESULT.csv [--column NAME] [--compliance] [--date YYYY-MM-DD]
       vehicle-verification usage

check   adds columns to a CSV file: whether each vehicle is insured or, with --compliance, compliant.
        --column NAME   the column of registrations; "registration" unless given
        --date D        insurance on that day instead of today
        After Ctrl-C, run the same command again: it continues.
usage   what the key may do, and what it has used.

The address (with /v1) is read from VEHICLE_VERIFICATION_BASE_URL, the key from VEHICLE_VERIFICATION_API_KEY.
Exit codes: 0 every row has an answer, 1 some have none, 2 nothing was done, 130 stopped by Ctrl-C.`;

const SOME_FAILED = 1;
const NOTHING_DONE = 2;
const STOPPED = 130;

const { VEHICLE_VERIFICATION_BASE_URL: baseUrl = '', VEHICLE_VERIFICATION_API_KEY: apiKey = '' } = process.env;

/** Removes keys, which an error may quote. */
const withoutKeys = (text: string): string =>
  (apiKey.trim() ? text.replaceAll(apiKey.trim(), '(key)') : text).replace(/vvc_\w+/g, '(key)');
/** Replaces control and format characters of responses and files: they could control the terminal or start a line. */
const printable = (line: string): string => withoutKeys(line).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
const print = (...lines: string[]) => process.stdout.write(`${lines.map(printable).join('\n')}\n`);
const count = (value: number): string => value.toLocaleString('en-GB');

const readArguments = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        out: { type: 'string' },
        column: { type: 'string' },
        date: { type: 'string' },
        compliance: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new CannotRun(`${(error as Error).message.split(/[.;\n]/)[0]}; see --help.`);
  }
};

const openClient = (): VehicleVerification => {
  if (apiKey.trim() === '') throw new CannotRun('Set VEHICLE_VERIFICATION_API_KEY to your key.');
  if (!/^https?:\/\/.+\/v\d+\/?$/.test(baseUrl)) {
    throw new CannotRun('Set VEHICLE_VERIFICATION_BASE_URL to the address of the service, with /v1 at its end.');
  }
  try {
    return new VehicleVerification({ baseUrl, apiKey, concurrency: CONCURRENCY, attempts: 8 });
  } catch {
    throw new CannotRun('VEHICLE_VERIFICATION_BASE_URL or VEHICLE_VERIFICATION_API_KEY contains invalid characters.');
  }
};

const showUsage = async (signal: AbortSignal): Promise<number> => {
  const { key, limits, window, hours } = await openClient().usage({ signal });
  const sum = (field: 'requests' | 'rateLimited') => count(hours.reduce((total, hour) => total + hour[field], 0));
  print(
    `Key       ${key.name}, ${key.environment}, ${key.expires ? `valid to ${key.expires}` : 'no expiry'}`,
    `Scopes    ${key.scopes.join(', ')}`,
    `Plan      ${key.plan}: ${count(limits.requestsPerWindow)} requests in ${limits.windowSeconds} s, ${count(limits.registrationsPerBulk)} registrations in each`,
    `Window    ${count(window.used)} used, ${count(window.remaining)} left until ${window.resetsAt}`,
    `24 hours  ${sum('requests')} requests, ${sum('rateLimited')} of them over the limit`,
  );
  return 0;
};

const runCommand = async (signal: AbortSignal): Promise<number> => {
  const { values, positionals } = readArguments();
  const [command, source, ...more] = positionals;
  if (values.help) {
    print(...HELP.split('\n'));
    return 0;
  }
  if (command === 'usage' && source === undefined) return showUsage(signal);
  if (command !== 'check') throw new CannotRun('The command is "check" or "usage"; see --help.');
  if (source === undefined || more.length > 0) throw new CannotRun('Give one CSV file to check; see --help.');
  const { out, column, date, compliance: isCompliance } = values;
  if (!out) throw new CannotRun('Name the file for the result with --out.');
  if (isCompliance && date !== undefined) throw new CannotRun('A compliance verdict is for today: leave out --date.');
  const client = openClient();
  const address = new URL(baseUrl).href.replace(/\/+$/, '');
  const { rows, failed } = await checkFile(
    client,
    { source, out, column, date, isCompliance, baseUrl: address },
    signal,
  );
  print(`${out}: ${count(rows)} rows, ${count(failed)} without an answer.`);
  return failed > 0 ? SOME_FAILED : 0;
};

/** Describes an error in one sentence. */
const explain = (error: unknown): string => {
  if (error instanceof ApiProblem && error.status === 401) {
    return `The service does not accept the key in VEHICLE_VERIFICATION_API_KEY (request ${error.requestId}).`;
  }
  const { message } = error as Error;
  if (!(error instanceof ApiProblem)) return message;
  return [message, ...error.errors.map(({ parameter, pointer, detail }) => `${parameter ?? pointer} ${detail}`)].join(
    '; ',
  );
};

/** Prints a failure and returns the exit code. */
const report = (failure: unknown, isStopped: boolean): number => {
  const [rows, error] = failure instanceof Interrupted ? [failure.rows, failure.cause] : [0, failure];
  const isKnown = [ApiProblem, ConnectionError, CannotRun].some((kind) => error instanceof kind);
  const why = isStopped ? 'Stopped.' : `${isKnown ? '' : 'Unexpected error: '}${explain(error)}`;
  const end = /[.:?!]$/.test(why) ? '' : '.';
  const next = rows > 0 ? ` ${count(rows)} rows are done; run the same command again to continue.` : '';
  process.stderr.write(`${printable(why + end + next)}\n`);
  if (isStopped) return STOPPED;
  return rows > 0 ? SOME_FAILED : NOTHING_DONE;
};

const stop = new AbortController();
// A second signal ends the process at once.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
try {
  process.exitCode = await runCommand(stop.signal);
} catch (error) {
  process.exitCode = report(error, stop.signal.aborted);
}
