import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** What a program has printed when it has ended, and its exit code or the signal that ended it. */
export const outcomeOf = async (child: ChildProcessWithoutNullStreams) => {
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const [stdout, stderr, [exitCode, signal]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { exitCode, signal, stdout, stderr };
};

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
  // When a command ends before it has read everything, its exit code is more useful than the broken pipe.
  child.stdin.on('error', () => undefined);
  if (input === undefined) child.stdin.end();
  else input.pipe(child.stdin);
  const { exitCode, signal, stdout, stderr } = await outcomeOf(child);
  if (exitCode !== null && accepted.includes(exitCode)) return stdout.trim();
  throw new Error(`${command} ${args.join(' ')} ended with ${exitCode ?? signal}:\n${stdout}${stderr}`);
};

/** Starts a program. Ctrl-C also ends it. */
export const startProgram = (command: string, args: readonly string[], env: NodeJS.ProcessEnv) => {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit').then(([code]): number | null => code);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return {
    child,
    /** Its exit code. */
    ended,
    output: () => output,
    /** Resolves with all output once it matches. Rejects with the output when the program ends first. */
    printed: (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const look = () => pattern.test(output) && resolve(output);
        for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
        ended.then(() => reject(new Error(`${command} ${args.join(' ')} ended:\n${output}`)), reject);
      }),
    /** Interrupts it and returns its exit code. */
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
};

export type Program = ReturnType<typeof startProgram>;
