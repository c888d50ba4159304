import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './run-command.ts';

const ROOT = join(import.meta.dirname, '../..');

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

/**
 * Runs the documented commands that restore a table, then `meanwhile`, then those that use it. Returns what these print.
 * @param use a text in the block of the commands that use the table
 */
export const restoreBeside = async (
  table: string,
  use: string,
  names: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
  meanwhile: () => Promise<unknown>,
): Promise<string> => {
  await runDocumented(documentedCommands('Restore', `--target-table-name ${table} `), names, env);
  await meanwhile();
  return runDocumented(documentedCommands('Restore', use), names, env);
};
