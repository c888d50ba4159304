import { type Command, Option } from 'commander';
import { NAMELESS } from '../../core/stage/outputs.ts';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { exampleOf } from '../command/format.ts';
import type { CommandContext, Runner } from '../deployment/deployment.ts';
import { columnHelp } from '../files/columns.ts';
import { DATE_FORMATS } from '../files/date-forms.ts';
import type { DataKind, FileCommand } from '../files/file-command.ts';
import { addFileOptions, addSupplierOption, type FileOptions, parseLimit } from '../files/file-options.ts';
import { runFile } from '../files/run-file.ts';
import { COMPLIANCE_COLUMNS, complianceRules, partColumns, partRules } from './compliance.ts';
import { CONTENT_FILE } from './content.ts';
import { DVSA_FILE } from './dvsa.ts';
import { VEHICLE_COLUMNS } from './vehicle-rows.ts';
import { vehicleRules } from './vehicles.ts';

const OUTCOMES = ['loaded', 'unchanged', 'kept', 'removed', 'notThere', 'erased', 'undone'] as const;

export interface ImportOptions extends Partial<FileOptions> {
  readonly supplier?: string;
}

const ROWS = {
  vehicles: ({ supplier, restore }: ImportOptions) => ({
    columns: VEHICLE_COLUMNS,
    rowHandling: vehicleRules(supplier, restore),
  }),
  mot: ({ format }: ImportOptions) =>
    format === 'dvsa' ? DVSA_FILE : { columns: partColumns('mot'), rowHandling: partRules('mot') },
  tax: () => ({ columns: partColumns('tax'), rowHandling: partRules('tax') }),
  fines: () => ({ columns: partColumns('fines'), rowHandling: partRules('fines') }),
  compliance: ({ restore }: ImportOptions) => ({ columns: COMPLIANCE_COLUMNS, rowHandling: complianceRules(restore) }),
  content: () => CONTENT_FILE,
} satisfies Record<DataKind, (options: ImportOptions) => Partial<FileCommand>>;

const requireConsistent = (options: ImportOptions): void => {
  const { complete, format, ifNewer, removeAtMost, loseCoverAtMost, restore, supplier } = options;
  const excluded: readonly (readonly [one: string, isGiven: unknown, other: string, isOtherGiven: unknown])[] = [
    ['--restore', restore, '--complete', complete],
    ['--restore', restore, '--supplier', supplier],
    ['--complete', complete, `--format ${format}, whose extract is many files`, format],
    ['--if-newer', ifNewer, '--complete', complete],
  ];
  const [one, , other] = excluded.find(([, isGiven, , isOtherGiven]) => isGiven && isOtherGiven) ?? [];
  if (one !== undefined) {
    throw new CommandFailure(`${one} cannot be combined with ${other}, and nothing was loaded: leave one of them out`);
  }
  const limit = removeAtMost === undefined ? '--lose-cover-at-most' : '--remove-at-most';
  if ((removeAtMost ?? loseCoverAtMost) !== undefined && !complete) {
    throw new CommandFailure(`${limit} is for --complete, and nothing was loaded: add that, or leave this out`);
  }
};

export const importFile = (
  noun: DataKind,
  file: string,
  options: ImportOptions,
  context: CommandContext,
): Promise<CommandResult> => {
  requireConsistent(options);
  const { complete, restore, supplier } = options;
  const replaced = supplier === undefined ? `stored ${noun}` : `what ${supplier} has supplied`;
  const whose = restore && noun === 'vehicles' ? ', of all suppliers,' : '';
  const removed = complete ? ' and removes those that it lacks' : '';
  const command: FileCommand = {
    formats: restore ? ['ndjson'] : ['csv', 'ndjson'],
    ...ROWS[noun](options),
    verb: 'import',
    noun,
    ...(noun === 'vehicles' && !restore && { supplier: supplier ?? NAMELESS }),
    consequence: `This replaces ${replaced}${whose} with the content of the file${removed}`,
    outcomes: noun === 'content' ? ['loaded', 'unchanged'] : OUTCOMES,
  };
  return runFile(command, file, options, context);
};

const addImport = (imports: Command, run: Runner, noun: DataKind, about: string) =>
  addSupplierOption(
    addFileOptions(imports.command(noun)),
    noun,
    'whose file it is: what others have supplied stays (default: the supplier without a name)',
  )
    .description(`load ${about}; rejected rows go to FILE.rejected.csv or .ndjson`)
    .argument('<file>', 'a .csv, .ndjson or .jsonl file, or one of these compressed as .gz')
    .addHelpText(
      'after',
      `\nColumns of a CSV, in any order; other columns are ignored:\n${columnHelp(ROWS[noun]({}).columns)}${exampleOf(`import ${noun} ${noun}.csv`)}`,
    )
    .action((file: string, options: ImportOptions) => run((context) => importFile(noun, file, options, context)));

export const addImportCommands = (program: Command, run: Runner): void => {
  const dates = new Option(
    '--dates <form>',
    'how dates are written: iso (YYYY-MM-DD), uk (DD/MM/YYYY, DD-MM-YYYY and DD.MM.YYYY too) or compact (YYYYMMDD too)',
  )
    .choices(DATE_FORMATS)
    .default('iso');
  const imports = program.command('import').description('load a file: what differs from the stored data is written');
  const restored = ['vehicles', 'compliance'];
  for (const [noun, about] of [
    ['vehicles', 'vehicles with their policies'],
    ['mot', 'when the MOT of vehicles is due'],
    ['tax', 'until when the road tax of vehicles is paid'],
    ['fines', 'outstanding fines of vehicles'],
    ['compliance', 'MOT, road tax and fines of vehicles'],
  ] as const) {
    const command = addImport(imports, run, noun, about)
      .addOption(dates)
      .option('--if-newer', 'keep a stored record whose last update is as late as the file’s, or later')
      .option('--complete', 'the file has everything of its supplier: remove what it lacks')
      .option(
        '--remove-at-most <n>',
        'with --complete, change nothing when more than N or N% of the stored records would go (default: 5%)',
        parseLimit,
      )
      .option(
        '--unreadable-at-most <n>',
        'load the other rows when nobody knows whose at most N or N% of the rows are (default: 0)',
        parseLimit,
      );
    if (noun === 'vehicles') {
      command.option(
        '--lose-cover-at-most <n>',
        'with --complete, change nothing when more than N or N% of its supplier’s insured vehicles would not be any more (default: 5%)',
        parseLimit,
      );
    }
    if (noun === 'mot') {
      command.addOption(
        new Option('--format <form>', 'the form of a source: dvsa, its bulk and delta files').choices(['dvsa']),
      );
    }
    if (restored.includes(noun)) {
      command.option('--restore', 'the file is an export: replace records whole, and erase what it says is erased');
    }
  }
  addImport(imports, run, 'content', 'content items');
};
