import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const pageOf = (name: string): string => readFileSync(join(import.meta.dirname, `../../../docs/${name}`), 'utf8');

/**
 * The block of commands with this text in a section of docs/operations.md, or of another page, line by line.
 * @throws Error unless there is exactly one
 */
export const documentedCommands = (heading: string, text: string, page = 'operations.md'): readonly string[] => {
  const guide = pageOf(page);
  const [, section = ''] = new RegExp(`^## ${heading}$(.*?)^## `, 'ms').exec(guide) ?? [];
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const [found, another] = blocks.filter((block) => block.includes(text));
  if (found === undefined || another !== undefined) {
    throw new Error(`docs/${page} must have one block of commands with "${text}" in its section ${heading}.`);
  }
  return found.replaceAll('\\\n', '').trim().split('\n');
};

/** Documented names, and what replaces them. */
export type Names = Readonly<Record<string, string>>;

/** A script of documented commands with other names. */
export const scriptOf = (commands: readonly string[], names: Names): string => {
  // In one pass: a name that exists here can contain a documented one.
  const documented = new RegExp(`\\b(?:${Object.keys(names).map(RegExp.escape).join('|')})\\b`, 'g');
  return commands.join('\n').replaceAll(documented, (name) => names[name] ?? name);
};
