import { Command } from 'commander';
import type { CommandResult } from '../admin/command/command-result.ts';
import { processContext } from '../admin/command/context.ts';
import type { Deployment } from '../admin/deployment/deployment.ts';
import { addImportCommands } from '../admin/import/import-commands.ts';
import type { IntakeEntry } from '../cloud/stage-schema.ts';

/** The command line of a load. */
export const importArguments = (
  { import: kind, supplier, complete, removeAtMost, dates }: IntakeEntry,
  path: string,
  erased: string,
): string[] => [
  ...['import', kind, path, '--except', erased],
  ...(supplier === undefined ? [] : ['--supplier', supplier]),
  ...(complete ? ['--complete'] : []),
  ...(removeAtMost === undefined ? [] : ['--remove-at-most', removeAtMost]),
  ...(dates === undefined ? [] : ['--dates', dates]),
];

/** Runs the CLI's import in this process. @returns its result and its notices @throws what the command throws */
export const importFile = async (args: readonly string[], deployment: Deployment) => {
  const notices: string[] = [];
  const context = {
    ...processContext(new AbortController().signal, {}),
    showsProgress: false,
    notice: (sentence: string) => void notices.push(sentence),
    deployment,
  };
  const results: CommandResult[] = [];
  // Otherwise a wrong option would end the process, and print itself.
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  addImportCommands(program, async (command) => void results.push(await command(context)));
  await program.parseAsync(args, { from: 'user' });
  return { data: results[0]?.data as Readonly<Record<string, unknown>>, notices };
};
