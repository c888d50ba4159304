import { type Command, InvalidArgumentError } from 'commander';
import { LIMIT_FORM, SUPPLIER_NAME } from '../../core/stage/outputs.ts';
import { parseEncoding } from '../../csv/encoding.ts';
import type { Encoding } from '../../csv/text.ts';
import type { LoadPlace } from '../records/change-line.ts';
import type { MappedColumn } from './columns.ts';
import type { DateFormat } from './date-forms.ts';

/** A number such as 200, or a percentage such as 2.5%. */
type Limit = string;

/** The options of a command on a file. `--help` explains them. */
export interface FileOptions {
  readonly map: readonly MappedColumn[];
  readonly dates: DateFormat;
  readonly encoding?: Encoding | undefined;
  readonly ifNewer: boolean;
  readonly complete: boolean;
  readonly removeAtMost: Limit;
  readonly loseCoverAtMost: Limit;
  readonly unreadableAtMost: Limit;
  readonly restore: boolean;
  /** The form of a source's files, in place of the one that the name of the file has. */
  readonly format?: 'dvsa' | undefined;
  readonly dryRun: boolean;
  readonly staging?: string | undefined;
  /** The most that a compressed file of the intake may have, unpacked, in 10^9 bytes. */
  readonly maxGigabytes?: number | undefined;
  /** Set by the intake, which keeps what a load changes elsewhere. */
  readonly load?: LoadPlace;
}

/** Adds a text such as `plate=registration`. @throws InvalidArgumentError */
export const addMapping = (text: string, earlier: readonly MappedColumn[] = []): MappedColumn[] => {
  // The last equals sign: the name of a column may have one.
  const at = text.lastIndexOf('=');
  const [column, name] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()];
  if (column === '' || name === '') throw new InvalidArgumentError('Write it as COLUMN=NAME.');
  return [...earlier, { column, name }];
};

export const parseLimit = (text: string): Limit => {
  if (LIMIT_FORM.test(text)) return text;
  throw new InvalidArgumentError('Write a number such as 200, or a percentage such as 2.5%.');
};

/** The number that a limit permits; a percentage of a total is rounded up. */
export const limitOf = (limit: Limit, total: number): number => {
  const number = Number.parseFloat(limit);
  return limit.endsWith('%') ? Math.ceil(Number(((total * number) / 100).toFixed(6))) : number;
};

const readEncoding = (name: string): Encoding => {
  const encoding = parseEncoding(name);
  if (encoding !== undefined) return encoding;
  throw new InvalidArgumentError('Write the name of an encoding, such as windows-1252, macintosh or utf-16le.');
};

export const DEFAULT_OPTIONS: FileOptions = {
  map: [],
  dates: 'iso',
  ifNewer: false,
  complete: false,
  restore: false,
  removeAtMost: '5%',
  loseCoverAtMost: '5%',
  unreadableAtMost: '0',
  dryRun: false,
};

export const addFileOptions = (command: Command): Command =>
  command
    .option(
      '--map <column=name>',
      'a column that has another name, such as plate=registration; may be repeated',
      addMapping,
    )
    .option(
      '--encoding <name>',
      'the encoding of a CSV or text file, such as windows-1252, macintosh or ibm866',
      readEncoding,
    )
    .option('--dry-run', 'do everything but the writes, with the same counts')
    .option(
      '--staging <folder>',
      'folder for temporary files, about four times the unpacked file (default: the folder of the file)',
    );

/** Adds a file of registrations with its options, and `--registration` in its place. */
export const addRegistrationFile = (command: Command): Command =>
  addFileOptions(command)
    .argument(
      '[file]',
      'a .csv or .ndjson file with a registration column or field, or a .txt with one a line; .gz may follow',
    )
    .option('--registration <registrations...>', 'one or more registrations instead of a file');

const parseSupplier = (text: string): string => {
  if (SUPPLIER_NAME.test(text)) return text;
  throw new InvalidArgumentError(
    'Write 1 to 32 of a-z, 0-9 and hyphens, not a hyphen first and not "constructor", such as acme-mutual.',
  );
};

/** Adds `--supplier` to a command on vehicles: no other data has suppliers. */
export const addSupplierOption = (command: Command, noun: string, about: string): Command =>
  noun === 'vehicles' ? command.option('--supplier <name>', about, parseSupplier) : command;
