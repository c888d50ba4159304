import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

interface Options {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Written to its standard input. */
  readonly input?: NodeJS.ReadableStream;
  /** Exit codes of a success. */
  readonly accepted?: readonly number[];
}

/** Runs a command to its end and returns its standard output, trimmed. @throws Error with its output when it fails */
export const runCommand = async (
  command: string,
  args: readonly string[],
  { env = process.env, cwd = process.cwd(), input, accepted = [0] }: Options = {},
): Promise<string> => {
  const child = spawn(command, args, { env, cwd, stdio: 'pipe' });
  const ended = once(child, 'close');
  // When a command ends before it has read everything, its exit code is more useful than the broken pipe.
  child.stdin.on('error', () => undefined);
  if (input === undefined) child.stdin.end();
  else input.pipe(child.stdin);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (!accepted.includes(code)) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return stdout.trim();
};
