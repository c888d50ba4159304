import { type Command, InvalidArgumentError } from 'commander';
import { LIMIT_FORM } from '../../core/stage/outputs.ts';
import { parseEncoding } from '../../csv/encoding.ts';
import type { Encoding } from '../../csv/text.ts';
import type { MappedColumn } from './columns.ts';

/** The accepted date formats: `YYYY-MM-DD`, or with `uk` DD/MM/YYYY too. Never guessed. */
export type DateFormat = 'iso' | 'uk';

/** A number, or a share of a total. */
export interface Limit {
  /** The limit as the operator wrote it. */
  readonly text: string;
  readonly of: (total: number) => number;
}

export interface FileOptions {
  /** Columns of a CSV that have none of their usual names. */
  readonly map: readonly MappedColumn[];
  readonly dates: DateFormat;
  /** The encoding of a CSV or text file. When absent, it is detected. */
  readonly encoding?: Encoding | undefined;
  /** Whether a stored record stays when it is as new as the file's record, or newer. */
  readonly ifNewer: boolean;
  /** Whether stored records that the file lacks are removed. */
  readonly complete: boolean;
  /** How many of all stored records a complete file may remove. */
  readonly removeAtMost: Limit;
  /** How many of all rows of the file may lack a readable registration. */
  readonly unreadableAtMost: Limit;
  /** Whether the file is an export, whose records replace stored ones whole. */
  readonly restore: boolean;
  /** Whether to do everything but the writes. */
  readonly dryRun: boolean;
  /** The folder of the staging database. Default: the file's folder. */
  readonly staging?: string | undefined;
}

const addMapping = (text: string, earlier: readonly MappedColumn[] = []): MappedColumn[] => {
  // The last equals sign: the name of a column may have one.
  const at = text.lastIndexOf('=');
  const [column, name] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()];
  if (column === '' || name === '') throw new InvalidArgumentError('Write it as COLUMN=NAME.');
  return [...earlier, { column, name }];
};

/** Parses a number or a percentage. */
export const parseLimit = (text: string): Limit => {
  if (!LIMIT_FORM.test(text)) {
    throw new InvalidArgumentError('Write a number such as 200, or a percentage such as 2.5%.');
  }
  const number = Number.parseFloat(text);
  if (!text.endsWith('%')) return { text, of: () => number };
  return { text, of: (total) => Math.ceil(Number(((total * number) / 100).toFixed(6))) };
};

const readEncoding = (name: string): Encoding => {
  const encoding = parseEncoding(name);
  if (encoding !== undefined) return encoding;
  throw new InvalidArgumentError('Write the name of an encoding, such as windows-1252, macintosh or utf-16le.');
};

/** The options of a command line that sets none. */
export const DEFAULT_OPTIONS: FileOptions = {
  map: [],
  dates: 'iso',
  ifNewer: false,
  complete: false,
  restore: false,
  removeAtMost: parseLimit('5%'),
  unreadableAtMost: parseLimit('0'),
  dryRun: false,
};

/** Adds `--map`, which may be given several times, `--encoding`, `--dry-run` and `--staging`. */
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
      'folder for temporary files, about three times the file (default: the folder of the file)',
    );
