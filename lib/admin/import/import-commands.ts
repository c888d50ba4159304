import { type Command, Option } from 'commander';
import type { Runner } from '../deployment/deployment.ts';
import type { FileCommand, FileOptions, ImportKind } from '../file-command/file-command.ts';
import { addFileOptions } from '../file-command/file-options.ts';
import { runFileCommand } from '../file-command/run-file-command.ts';
import { columnHelp } from '../files/csv-header.ts';
import { compliance } from './compliance.ts';
import { content } from './content.ts';
import { vehicles } from './vehicles.ts';

const fileCommand = <Entry>(kind: ImportKind<Entry>, ifNewer = false): FileCommand<Entry> => ({
  ...kind,
  verb: 'import',
  consequence: `This replaces stored ${kind.noun} with the content of the file`,
  formats: ['csv', 'ndjson'],
  outcomes: ifNewer ? ['loaded', 'kept'] : ['loaded'],
});

const addImport = <Entry>(imports: Command, run: Runner, kind: ImportKind<Entry>, about: string): Command =>
  addFileOptions(imports.command(kind.noun))
    .description(`load ${about}; rejected rows go to FILE.rejected.csv or .ndjson`)
    .argument('<file>', 'a .csv or .ndjson file')
    .addHelpText('after', `\nColumns of a CSV, in any order; other columns are ignored:\n${columnHelp(kind.columns)}`)
    .action((file: string, options: Partial<FileOptions>) =>
      run((context) => runFileCommand(fileCommand(kind, options.ifNewer), file, options, context)),
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
