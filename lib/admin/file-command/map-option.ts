import { InvalidArgumentError, Option } from 'commander';
import type { MappedColumn } from '../files/csv-header.ts';

/** A name of a column may have an equals sign. */
const PAIR = /^\s*(.*\S)\s*=\s*(\w+)\s*$/;

/** The option `--map`, which may be given several times. */
export const mapOption = (): Option =>
  new Option(
    '--map <column=name>',
    'a column that has another name, such as plate=registration; may be repeated',
  ).argParser((text: string, earlier: readonly MappedColumn[] = []): MappedColumn[] => {
    const [, column, name] = PAIR.exec(text) ?? [];
    if (column === undefined || name === undefined) throw new InvalidArgumentError('Write it as COLUMN=NAME.');
    return [...earlier, { column, name }];
  });
