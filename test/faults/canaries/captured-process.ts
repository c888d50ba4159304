import { fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** What a process said to its parent, and all that it wrote to standard output and standard error. */
export interface Captured {
  readonly said: unknown;
  readonly output: string;
}

/**
 * Runs a module that says one thing and ends when its parent disconnects.
 * @throws Error with its output when it ends without a word
 */
export const capturedProcess = async (
  module: URL,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Captured> => {
  const child = fork(module, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  if (child.stdout === null || child.stderr === null) throw new Error('a process without output');
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const messages: unknown[] = [];
  child.on('message', (message) => {
    messages.push(message);
    child.disconnect();
  });
  const [code] = await once(child, 'exit');
  const [out, err] = await output;
  const [said] = messages;
  if (said === undefined) throw new Error(`a process of canaries ended with ${code}\n${out}\n${err}`);
  return { said, output: `${out}\n${err}` };
};
