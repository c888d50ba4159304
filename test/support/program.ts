import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

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
    /** All that it has printed. */
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
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  ended.then(end, end);
  while (!hasEnded) {
    const socket = connect(port, '127.0.0.1');
    const isListening = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isListening) return;
    await pause(POLL_MS);
  }
  throw new Error('The program ended before it listened.');
};
