import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../docs/integration.md', import.meta.url), 'utf8');

/** The examples of docs/integration.md in one language, in their order. */
export const snippets = (language: 'sh' | 'ts'): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code);

export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program to its end. */
export const run = async (
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> => {
  const child: ChildProcess = spawn(command, args, { env: { ...process.env, ...environment } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  const [code] = await once(child, 'close');
  return { code, output };
};
