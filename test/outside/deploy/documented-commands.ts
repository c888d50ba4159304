import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../support/run-command.ts';

const ROOT = join(import.meta.dirname, '../../..');

/**
 * The block of commands with this text in a section of a document, line by line.
 * @throws Error unless there is exactly one
 */
export const documentedCommands = (
  heading: string,
  text: string,
  document = 'docs/operations.md',
): readonly string[] => {
  const page = readFileSync(join(ROOT, document), 'utf8');
  const [, section = ''] = new RegExp(`^## ${heading}$(.*?)^## `, 'ms').exec(page) ?? [];
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const [found, another] = blocks.filter((block) => block.includes(text));
  if (found === undefined || another !== undefined) {
    throw new Error(`${document} must have one block of commands with "${text}" in its section ${heading}.`);
  }
  return found.replaceAll('\\\n', '').trim().split('\n');
};

/** Runs documented commands with the names that exist here, and returns what they print. */
export const runDocumented = async (
  commands: readonly string[],
  names: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): Promise<string> => {
  // In one pass: a name that exists here can contain a documented one.
  const documented = new RegExp(`\\b(?:${Object.keys(names).map(RegExp.escape).join('|')})\\b`, 'g');
  let output = '';
  for (const command of commands) {
    const filled = command.replaceAll(documented, (name) => names[name] ?? name);
    output += await runCommand('/bin/sh', ['-c', `cd '${ROOT}' && ${filled}`], { env });
  }
  return output;
};

/** Runs the commands until the restored table is there, then `meanwhile`, then the others. Returns what these print. */
export const restoreBeside = async (
  commands: readonly string[],
  names: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
  meanwhile: () => Promise<unknown>,
): Promise<string> => {
  const isThere = commands.findIndex((command) => command.startsWith('aws dynamodb wait')) + 1;
  if (isThere === 0) throw new Error('The commands must wait for the restored table.');
  await runDocumented(commands.slice(0, isThere), names, env);
  await meanwhile();
  return runDocumented(commands.slice(isThere), names, env);
};
