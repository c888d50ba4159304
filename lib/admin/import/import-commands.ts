import { type Command, Option } from 'commander';
import type { Runner } from '../deployment/deployment.ts';
import type { DateForm, FileCommand } from '../file-command/file-command.ts';
import { runFileCommand } from '../file-command/run-file-command.ts';
import { compliance } from './compliance/import-compliance.ts';
import { content } from './content/import-content.ts';
import type { ImportKind } from './import-kind.ts';
import { vehicles } from './vehicles/import-vehicles.ts';

const KINDS = [
  { kind: vehicles, about: 'vehicles with their policies', isRecord: true },
  { kind: compliance, about: 'MOT, road tax and fines of vehicles', isRecord: true },
  { kind: content, about: 'content items', isRecord: false },
];

const datesOption = () =>
  new Option('--dates <form>', 'how dates are written: iso (YYYY-MM-DD), or uk (DD/MM/YYYY too)')
    .choices(['iso', 'uk'])
    .default('iso');

const importCommand = (kind: ImportKind, ifNewer: boolean): FileCommand => ({
  ...kind,
  verb: 'import',
  consequence: `This replaces stored ${kind.noun} with the content of the file`,
  formats: ['csv', 'ndjson'],
  outcomes: ifNewer ? ['loaded', 'kept'] : ['loaded'],
});

interface ImportOptions {
  readonly resume?: boolean;
  readonly dates?: DateForm;
  readonly ifNewer?: boolean;
}

/** Adds `import vehicles`, `compliance` and `content`. */
export const addImportCommands = (program: Command, run: Runner): void => {
  const imports = program.command('import').description('load a file; loading it twice changes nothing');
  for (const { kind, about, isRecord } of KINDS) {
    const command = imports
      .command(kind.noun)
      .description(`load ${about}; rejected rows go to FILE.rejected.ndjson`)
      .argument('<file>', 'a .csv or .ndjson file, UTF-8')
      .option('--resume', 'continue where the import of this file was stopped (FILE.import.json has the progress)')
      .action((file: string, { resume = false, dates = 'iso', ifNewer = false }: ImportOptions) =>
        run((commandRun) => {
          return runFileCommand(importCommand(kind, ifNewer), file, { resume, dates, ifNewer }, commandRun);
        }),
      );
    if (!isRecord) continue;
    command
      .addOption(datesOption())
      .option('--if-newer', 'keep a stored record whose last update is as late as the file’s, or later');
  }
};
