import { type Command, Option } from 'commander';
import type { Runner } from '../deployment/deployment.ts';
import type { DateForm, FileCommand, ImportKind } from '../file-command/file-command.ts';
import { mapOption } from '../file-command/map-option.ts';
import { runFileCommand } from '../file-command/run-file-command.ts';
import { columnHelp, type MappedColumn } from '../files/csv-header.ts';
import { compliance } from './compliance/import-compliance.ts';
import { content } from './content/import-content.ts';
import { vehicles } from './vehicles/import-vehicles.ts';

const fileCommand = <Entry>(kind: ImportKind<Entry>, ifNewer: boolean): FileCommand<Entry> => ({
  ...kind,
  verb: 'import',
  consequence: `This replaces stored ${kind.noun} with the content of the file`,
  formats: ['csv', 'ndjson'],
  outcomes: ifNewer ? ['loaded', 'kept'] : ['loaded'],
});

interface ImportOptions {
  readonly map?: readonly MappedColumn[];
  readonly restart?: boolean;
  readonly staging?: string;
  readonly dates?: DateForm;
  readonly ifNewer?: boolean;
}

const addImport = <Entry>(imports: Command, run: Runner, kind: ImportKind<Entry>, about: string): Command =>
  imports
    .command(kind.noun)
    .description(`load ${about}; rejected rows go to FILE.rejected.csv or .ndjson`)
    .argument('<file>', 'a .csv or .ndjson file')
    .addOption(mapOption())
    .addHelpText('after', `\nColumns of a CSV, in any order; other columns are ignored:\n${columnHelp(kind.columns)}`)
    .option('--restart', 'begin with the first row, not where this import of the file was stopped')
    .option('--staging <folder>', 'folder for FILE.….sqlite, in which rows are staged (default: that of the file)')
    .action((file: string, { map = [], restart = false, staging, dates = 'iso', ifNewer = false }: ImportOptions) =>
      run((context) =>
        runFileCommand(fileCommand(kind, ifNewer), file, { map, restart, staging, dates, ifNewer }, context),
      ),
    );

/** Adds `import vehicles`, `compliance` and `content`. */
export const addImportCommands = (program: Command, run: Runner): void => {
  const dates = new Option(
    '--dates <form>',
    'how dates are written: iso (YYYY-MM-DD), or uk (DD/MM/YYYY, DD-MM-YYYY and DD.MM.YYYY too)',
  )
    .choices(['iso', 'uk'])
    .default('iso');
  const imports = program.command('import').description('load a file; loading it twice changes nothing');
  for (const command of [
    addImport(imports, run, vehicles, 'vehicles with their policies'),
    addImport(imports, run, compliance, 'MOT, road tax and fines of vehicles'),
  ]) {
    command
      .addOption(dates)
      .option('--if-newer', 'keep a stored record whose last update is as late as the file’s, or later');
  }
  addImport(imports, run, content, 'content items');
};
