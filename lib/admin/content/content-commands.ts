import type { Command } from 'commander';
import type { Runner } from '../deployment/command-run.ts';
import { exportContent } from '../export/export-content.ts';
import { checkContent } from './check-content.ts';

/** Adds `export content` and `content check`. */
export const addContentCommands = (program: Command, run: Runner): void => {
  program
    .command('export')
    .description('write data to a file that import loads again')
    .command('content')
    .description('every content item, with its id, timestamps and version')
    .argument('<file>', 'a .ndjson file; one of that name is replaced')
    .action((file: string) => run((command) => exportContent(file, command)));
  program
    .command('content')
    .description('look after stored content')
    .command('check')
    .description('recount every list against its members and compare every slug with its item')
    .option('--repair', 'repair inconsistencies')
    .action(({ repair = false }: { repair?: boolean }) => run((command) => checkContent(repair, command)));
};
