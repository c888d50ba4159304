import type { Command } from 'commander';
import type { Runner } from '../deployment/command-run.ts';
import { compliance } from './compliance/import-compliance.ts';
import { content } from './content/import-content.ts';
import { importFile } from './run/import-file.ts';
import { vehicles } from './vehicles/import-vehicles.ts';

const KINDS = [
  { kind: vehicles, about: 'vehicles with their policies' },
  { kind: compliance, about: 'MOT, road tax and fines of vehicles' },
  { kind: content, about: 'content items' },
];

/** Adds `import vehicles`, `compliance` and `content`. */
export const addImportCommands = (program: Command, run: Runner): void => {
  const imports = program.command('import').description('load a file; loading it twice changes nothing');
  for (const { kind, about } of KINDS) {
    imports
      .command(kind.noun)
      .description(`load ${about}; rejected rows go to FILE.rejected.ndjson`)
      .argument('<file>', 'a .csv or .ndjson file, UTF-8')
      .option('--resume', 'continue where the import of this file was stopped (FILE.import.json has the progress)')
      .action((file: string, { resume = false }: { resume?: boolean }) =>
        run((command) => importFile(kind, file, resume, command)),
      );
  }
};
