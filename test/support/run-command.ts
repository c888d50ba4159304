import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Where and how a command runs, and what is written to its standard input. */
export interface Surroundings {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly input?: NodeJS.ReadableStream;
}

/** Runs a command to its end and returns its standard output, trimmed. @throws with all it said when it fails */
export const runCommand = async (
  command: string,
  args: readonly string[],
  { env = process.env, cwd = process.cwd(), input }: Surroundings = {},
): Promise<string> => {
  const child = spawn(command, args, { env, cwd, stdio: 'pipe' });
  const ended = once(child, 'close');
  // A command that ends before it has read everything says more with its exit code than the broken pipe does.
  child.stdin.on('error', () => undefined);
  if (input === undefined) child.stdin.end();
  else input.pipe(child.stdin);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return stdout.trim();
};

/** Whether a command can be run to a good end. */
export const succeeds = async (command: string, args: readonly string[], env = process.env): Promise<boolean> => {
  try {
    await runCommand(command, args, { env });
    return true;
  } catch {
    return false;
  }
};
