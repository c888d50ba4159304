import type { CheckArguments } from './arguments.ts';
import { CHANGE_COLUMNS } from './changes.ts';
import { type CsvFormat, csvText, headerText } from './csv-text.ts';
import { isResult } from './earlier-result.ts';
import { ENDING_COLUMNS } from './ending.ts';
import type { FleetFile } from './fleet-file.ts';
import { assertReplaceable, type OutputFile, openOutputFile, type Replaceable } from './output-file.ts';
import type { VehicleList } from './vehicle-list.ts';

/** The files that a check writes. */
export interface Outputs {
  readonly changes: OutputFile | undefined;
  readonly ending: OutputFile | undefined;
  readonly receipts: OutputFile | undefined;
  readonly result: OutputFile;
}

const isList = (columns: readonly string[]) => (header: readonly string[]) => `${header}` === `${columns}`;
const isReceipts = ([first = '', ...more]: readonly string[]): boolean =>
  more.length === 0 && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(first);

/**
 * Opens the files, and passes them on, also as a list in the order in which they take their places: the result is last.
 * Deletes the temporary ones that are left. @throws CannotRun when one of them must not be replaced
 */
export const withOutputs = async <Value>(
  { changesFile, endingFile, receiptsFile, out, force }: CheckArguments,
  { stats: input }: FleetFile,
  use: (outputs: Outputs, inOrder: readonly OutputFile[]) => Promise<Value>,
): Promise<Value> => {
  const opened: OutputFile[] = [];
  const open = async (path: string, isOwn: Replaceable['isOwn']): Promise<OutputFile> => {
    await assertReplaceable({ path, isOwn, input, force });
    const file = await openOutputFile({ path, isOwn, input, force });
    opened.push(file);
    return file;
  };
  try {
    const changes = changesFile === undefined ? undefined : await open(changesFile, isList(CHANGE_COLUMNS));
    const ending = endingFile === undefined ? undefined : await open(endingFile, isList(ENDING_COLUMNS));
    const receipts = receiptsFile === undefined ? undefined : await open(receiptsFile, isReceipts);
    return await use({ changes, ending, receipts, result: await open(out, isResult) }, opened);
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
