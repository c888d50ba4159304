import type { Command } from 'commander';
import type { CommandResult } from '../command/outcome.ts';
import type { CommandRun, Runner } from '../deployment/deployment.ts';
import { exportContent } from './export-content.ts';
import { exportRecords } from './export-records.ts';

type Export = (path: string, run: CommandRun) => Promise<CommandResult>;

const EXPORTS: readonly (readonly [noun: string, about: string, Export])[] = [
  ['vehicles', 'every vehicle with its policies', (path, run) => exportRecords('vehicles', path, run)],
  ['compliance', 'MOT, road tax and fines of every vehicle', (path, run) => exportRecords('compliance', path, run)],
  ['content', 'every content item, with its id, timestamps and version', exportContent],
];

/** Adds `export vehicles`, `compliance` and `content`. */
export const addExportCommands = (program: Command, run: Runner): void => {
  const exports = program.command('export').description('write data to a file that import loads again');
  for (const [noun, about, perform] of EXPORTS) {
    exports
      .command(noun)
      .description(about)
      .argument('<file>', 'a .ndjson file; one of that name is replaced')
      .action((file: string) => run((command) => perform(file, command)));
  }
};
