import { type Command, Option } from 'commander';
import type { Runner } from '../deployment/deployment.ts';
import { compliance } from './compliance/import-compliance.ts';
import { content } from './content/import-content.ts';
import { importFile } from './run/import-file.ts';
import type { DateForm } from './run/import-kind.ts';
import { vehicles } from './vehicles/import-vehicles.ts';

const KINDS = [
  { kind: vehicles, about: 'vehicles with their policies', hasDates: true },
  { kind: compliance, about: 'MOT, road tax and fines of vehicles', hasDates: true },
  { kind: content, about: 'content items', hasDates: false },
];

const datesOption = () =>
  new Option('--dates <form>', 'how dates are written: iso (YYYY-MM-DD), or uk (DD/MM/YYYY too)')
    .choices(['iso', 'uk'])
    .default('iso');

/** Adds `import vehicles`, `compliance` and `content`. */
export const addImportCommands = (program: Command, run: Runner): void => {
  const imports = program.command('import').description('load a file; loading it twice changes nothing');
  for (const { kind, about, hasDates } of KINDS) {
    const command = imports
      .command(kind.noun)
      .description(`load ${about}; rejected rows go to FILE.rejected.ndjson`)
      .argument('<file>', 'a .csv or .ndjson file, UTF-8')
      .option('--resume', 'continue where the import of this file was stopped (FILE.import.json has the progress)')
      .action((file: string, { resume = false, dates = 'iso' }: { resume?: boolean; dates?: DateForm }) =>
        run((commandRun) => importFile(kind, file, { resume, dates }, commandRun)),
      );
    if (hasDates) command.addOption(datesOption());
  }
};
