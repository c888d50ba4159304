import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { command } from './installed-package.ts';

interface Account {
  readonly baseUrl?: string;
  readonly apiKey?: string;
}

interface Options {
  readonly env?: NodeJS.ProcessEnv;
  /** The largest file that it may write, in units of 1,024 bytes; a write beyond it is short. */
  readonly maxFileSize?: number;
}

/** Starts the installed command in a folder. `ended` has its exit code, or the signal that ended it, and what it printed. */
export const startCommandLine = (
  cwd: string,
  args: readonly string[],
  { baseUrl, apiKey }: Account,
  { env = {}, maxFileSize }: Options = {},
) => {
  const account = {
    ...(baseUrl !== undefined && { VEHICLE_VERIFICATION_BASE_URL: baseUrl }),
    ...(apiKey !== undefined && { VEHICLE_VERIFICATION_API_KEY: apiKey }),
  };
  const limited = ['bash', '--norc', '-c', `ulimit -f ${maxFileSize}; exec "$0" "$@"`, command];
  const [program = '', ...before] = maxFileSize === undefined ? [command] : limited;
  const child = spawn(program, [...before, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...account, ...env },
    stdio: 'pipe',
  });
  child.stdin.end();
  const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
    ([[code, signal], stdout, stderr]) => ({ code: (code ?? signal) as number | NodeJS.Signals, stdout, stderr }),
  );
  return { child, ended };
};
