import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../support/run-command.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The blocks of commands of a section of docs/operations.md. @throws Error when it has another number of them */
export const documentedCommands = (heading: string, count: number): readonly (readonly string[])[] => {
  const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const [, section = ''] = new RegExp(`^## ${heading}$(.*?)^## `, 'ms').exec(page) ?? [];
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) =>
    block.replaceAll('\\\n', '').trim().split('\n'),
  );
  if (blocks.length !== count) {
    throw new Error(
      `docs/operations.md has ${blocks.length} blocks of commands in its section ${heading}, not ${count}.`,
    );
  }
  return blocks;
};

/** Runs documented commands, with the names that exist here in place of the documented ones. Returns what they print. */
export const runDocumented = async (
  commands: readonly string[],
  names: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): Promise<string> => {
  let output = '';
  for (const command of commands) {
    const filled = Object.entries(names).reduce(
      (text, [name, value]) => text.replaceAll(new RegExp(`\\b${RegExp.escape(name)}\\b`, 'g'), value),
      command,
    );
    output += await runCommand('/bin/sh', ['-c', `cd '${ROOT}' && ${filled}`], { env });
  }
  return output;
};
