import type { CheckArguments } from './arguments.ts';
import { CHANGE_COLUMNS } from './changes.ts';
import { type CsvFormat, csvText, headerText } from './csv-text.ts';
import { isResult } from './earlier-result.ts';
import { ENDING_COLUMNS } from './ending.ts';
import type { FleetFile } from './fleet-file.ts';
import { assertReplaceable, type OutputFile, openOutputFile, type Replaceable } from './output-file.ts';
import type { VehicleList } from './vehicle-list.ts';

/** One thing for each file of a check; only the result is always asked for. */
interface ForEachFile<Value> {
  readonly changes: Value | undefined;
  readonly ending: Value | undefined;
  readonly receipts: Value | undefined;
  readonly result: Value;
}

/** The files that a check replaces. */
export type Targets = ForEachFile<Replaceable>;
/** The temporary files of a check. */
export type Outputs = ForEachFile<OutputFile>;

const isList = (columns: readonly string[]) => (header: readonly string[]) => `${header}` === `${columns}`;
const isReceipts = ([first = '', ...more]: readonly string[]): boolean =>
  more.length === 0 && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(first);

/** @throws CannotRun when the check must not replace one of its files */
export const findTargets = async (args: CheckArguments, { stats }: FleetFile): Promise<Targets> => {
  const target = async (path: string, isOwn: Replaceable['isOwn']): Promise<Replaceable> => {
    const replaceable = { path, isOwn, input: stats, force: args.force };
    await assertReplaceable(replaceable);
    return replaceable;
  };
  return {
    result: await target(args.out, isResult),
    changes: args.changesFile === undefined ? undefined : await target(args.changesFile, isList(CHANGE_COLUMNS)),
    ending: args.endingFile === undefined ? undefined : await target(args.endingFile, isList(ENDING_COLUMNS)),
    receipts: args.receiptsFile === undefined ? undefined : await target(args.receiptsFile, isReceipts),
  };
};

/**
 * Passes on the temporary files, also as a list in the order in which they take their places: the result is last. Deletes those
 * that have not taken theirs.
 */
export const withOutputs = async <Value>(
  targets: Targets,
  use: (outputs: Outputs, inOrder: readonly OutputFile[]) => Promise<Value>,
): Promise<Value> => {
  const opened: OutputFile[] = [];
  const open = async (target: Replaceable): Promise<OutputFile> => {
    const file = await openOutputFile(target);
    opened.push(file);
    return file;
  };
  try {
    const changes = targets.changes && (await open(targets.changes));
    const ending = targets.ending && (await open(targets.ending));
    const receipts = targets.receipts && (await open(targets.receipts));
    return await use({ changes, ending, receipts, result: await open(targets.result) }, opened);
  } finally {
    for (const file of opened) await file.discard();
  }
};

/** Writes a list to its file, if it has one. */
export const writeList = async (
  list: VehicleList | undefined,
  file: OutputFile | undefined,
  format: CsvFormat,
): Promise<void> => {
  if (list && file) await file.write(headerText(list.columns, format) + csvText(list.rows, format));
};
