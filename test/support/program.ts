import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

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

/** A port of this machine that nobody listens on. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const POLL_MS = 100;

/** Waits until a program accepts connections. @throws Error when it has ended before */
export const untilListening = async (port: number, ended: Promise<unknown>): Promise<void> => {
  const failed = ended.then(() => {
    throw new Error('The program ended before it listened.');
  });
  const isListening = (): Promise<boolean> => {
    const socket = connect(port, '127.0.0.1');
    const connected = once(socket, 'connect').then(
      () => true,
      () => false,
    );
    return connected.finally(() => socket.destroy());
  };
  while (!(await Promise.race([isListening(), failed]))) await pause(POLL_MS);
};
