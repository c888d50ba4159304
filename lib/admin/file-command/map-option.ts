import { InvalidArgumentError, Option } from 'commander';
import type { MappedColumn } from '../files/csv-header.ts';

/** The option `--map`, which may be given several times. */
export const mapOption = (): Option =>
  new Option(
    '--map <column=name>',
    'a column that has another name, such as plate=registration; may be repeated',
  ).argParser((text: string, earlier: readonly MappedColumn[] = []): MappedColumn[] => {
    // The last equals sign: the name of a column may have one.
    const at = text.lastIndexOf('=');
    const [column, name] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()];
    if (column === '' || name === '') throw new InvalidArgumentError('Write it as COLUMN=NAME.');
    return [...earlier, { column, name }];
  });
