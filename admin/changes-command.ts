import type { Command } from 'commander';
import { stringify } from 'csv-stringify/sync';
import { NAMELESS } from '../core/stage/outputs.ts';
import { type CommandResult, FileRefused } from './command/command-result.ts';
import { exampleOf, formatNumber, printable, readableTable, toLines } from './command/format.ts';
import type { Runner } from './deployment/deployment.ts';
import { openChanges } from './files/changes-file.ts';
import { readRow } from './files/rows.ts';
import { becameInsured, type ChangeLine, isChangeLine, isNoLongerInsured, type Load } from './records/change-line.ts';

const SHOWN = 20;
const HEADS = ['registration', 'change', 'insured_before', 'insured_after'];

/** Whether a vehicle is insured; blank for compliance. */
const yesOrNo = (insured: boolean | undefined): string => (insured === undefined ? '' : insured ? 'yes' : 'no');

const cellsOf = ({ registration, change, insuredBefore, insuredAfter }: ChangeLine): string[] => [
  registration,
  change,
  yesOrNo(insuredBefore),
  yesOrNo(insuredAfter),
];

const describe = ({ kind, supplier, table, stack, began, dryRun }: Load): string =>
  printable(
    `${dryRun ? 'A dry run' : 'A load'} of ${kind}${supplier && supplier !== NAMELESS ? ` of ${supplier}` : ''} in the table ${table}, ${stack}, which began ${began}`,
    400,
  );

/** What a load has changed. Of several lines of a record, the last one counts. */
const readChanges = async (path: string) => {
  const { load, source } = await openChanges(path);
  const changes = new Map<string, ChangeLine>();
  for await (const { lines } of source.readLines()) {
    for (const { line, text } of lines) {
      const { fields } = readRow({ line, given: text });
      if (!isChangeLine(fields)) throw new FileRefused(`line ${line} is not a line of a changes file: ${source.path}`);
      const { before, written, ...change } = fields;
      changes.set(change.registration, change);
    }
  }
  return { load, all: [...changes.values()] };
};

const showChanges = async (path: string, csv: boolean): Promise<CommandResult> => {
  const { load, all } = await readChanges(path);
  const count = (isCounted: (line: ChangeLine) => boolean) => all.filter(isCounted).length;
  const counts = {
    created: count(({ change }) => change === 'created'),
    replaced: count(({ change }) => change === 'replaced'),
    removed: count(({ change }) => change === 'removed'),
    becameInsured: count(becameInsured),
    noLongerInsured: count(isNoLongerInsured),
  };
  const shown = csv ? all : all.slice(0, SHOWN);
  const data = { ...load, ...counts, changes: shown };
  if (csv) return { text: stringify([HEADS, ...all.map(cellsOf)]), data };
  const { created, replaced, removed, becameInsured: insured, noLongerInsured } = counts;
  const table = readableTable(
    ['created', 'replaced', 'removed', 'became insured', 'no longer insured'],
    [[created, replaced, removed, insured, noLongerInsured].map(formatNumber)],
    'right',
  );
  const list =
    shown.length > 0 &&
    readableTable(
      HEADS.map((head) => head.replace('_', ' ')),
      shown.map(cellsOf),
    );
  return {
    text: `${describe(load)}\n\n${table}${list ? `\n${list}` : ''}`,
    notes: toLines([all.length > SHOWN && `… and ${formatNumber(all.length - SHOWN)} more: --csv has all.`]),
    data,
  };
};

export const addChangesCommand = (program: Command, run: Runner): void => {
  program
    .command('changes')
    .description('what a load has changed: counts, and the first twenty records of its changes file')
    .argument('<file>', 'FILE.changes.ndjson of a load, or the folder changes/LOAD of one by the intake')
    .option('--csv', 'all records, as CSV')
    .addHelpText('after', exampleOf('changes vehicles.csv.changes.ndjson'))
    .action((file: string, { csv = false }: { csv?: boolean }) => run(() => showChanges(file, csv)));
};
