import { type Command, InvalidArgumentError, Option } from 'commander';
import { ENCODINGS } from '../../../client/src/command-line/csv-file/encoding.ts';
import type { MappedColumn } from '../files/csv-header.ts';

const addMapping = (text: string, earlier: readonly MappedColumn[] = []): MappedColumn[] => {
  // The last equals sign: the name of a column may have one.
  const at = text.lastIndexOf('=');
  const [column, name] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()];
  if (column === '' || name === '') throw new InvalidArgumentError('Write it as COLUMN=NAME.');
  return [...earlier, { column, name }];
};

/** Adds `--map`, which may be given several times, `--encoding`, `--restart` and `--staging`. */
export const addFileOptions = (command: Command): Command =>
  command
    .option(
      '--map <column=name>',
      'a column that has another name, such as plate=registration; may be repeated',
      addMapping,
    )
    .addOption(new Option('--encoding <name>', 'the encoding of a CSV or text file').choices(ENCODINGS))
    .option('--restart', 'begin with the first row, not where the same command was stopped')
    .option('--staging <folder>', 'folder for FILE.….sqlite, in which rows are staged (default: that of the file)');
