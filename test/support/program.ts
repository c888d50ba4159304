import { spawn } from 'node:child_process';
import { once } from 'node:events';

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
