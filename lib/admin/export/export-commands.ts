import type { Command } from 'commander';
import type { CommandResult } from '../command/outcome.ts';
import type { CommandContext, Runner } from '../deployment/deployment.ts';
import { exportContent } from './export-content.ts';
import { exportRecords } from './export-records.ts';

type Export = (path: string, context: CommandContext) => Promise<CommandResult>;

const EXPORTS: readonly (readonly [noun: string, about: string, Export])[] = [
  ['vehicles', 'every vehicle with its policies', (path, context) => exportRecords('vehicles', path, context)],
  [
    'compliance',
    'MOT, road tax and fines of every vehicle',
    (path, context) => exportRecords('compliance', path, context),
  ],
  ['content', 'every content item, with its id, timestamps and version', exportContent],
];

/** Adds `export vehicles`, `compliance` and `content`. */
export const addExportCommands = (program: Command, run: Runner): void => {
  const exports = program.command('export').description('write data to a file that import loads again');
  for (const [noun, about, perform] of EXPORTS) {
    exports
      .command(noun)
      .description(about)
      .argument('<file>', 'a .ndjson file; an existing one is replaced')
      .action((file: string) => run((context) => perform(file, context)));
  }
};
