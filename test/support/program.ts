import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Program {
  /** Resolves with all output once it matches. Rejects with the output when the program ends first. */
  readonly printed: (pattern: RegExp) => Promise<string>;
  /** Interrupts it and returns its exit code. */
  readonly stop: () => Promise<number | null>;
}

/** Starts a program. Ctrl-C also ends it. */
export const startProgram = (command: string, args: readonly string[], env: NodeJS.ProcessEnv): Program => {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return {
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => pattern.test(output) && resolve(output);
        for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
        ended.then(() => reject(new Error(`${command} ${args.join(' ')} ended:\n${output}`)), reject);
      }),
    stop: async () => {
      child.kill('SIGINT');
      const [code] = await ended;
      return code;
    },
  };
};
