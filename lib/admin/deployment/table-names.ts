import { prefixedTableNames, type TableId, type TableNames, tables } from '../../../core/tables.ts';
import { CommandFailure } from '../command/outcome.ts';

/** The table names in `--tables` by table id; some may be missing. */
export type NamedTables = Partial<TableNames>;

export const TABLE_IDS = Object.keys(tables) as TableId[];

const USAGE = `--tables takes the prefix of all table names, or single tables as ID=NAME,ID=NAME with the ids ${TABLE_IDS.join(', ')}`;

const isTableId = (text: string): text is TableId => Object.hasOwn(tables, text);

const parsePair = (pair: string): [TableId, string] => {
  const [id = '', name = '', ...more] = pair.split('=').map((part) => part.trim());
  if (isTableId(id) && name !== '' && more.length === 0) return [id, name];
  throw new CommandFailure(USAGE);
};

/**
 * Parses the value of `--tables`: single tables (`keys=NAME,content=NAME`), or the prefix of all table names. A table name
 * never contains an equals sign.
 * @throws CommandFailure when it is neither
 */
export const parseTables = (text: string): NamedTables => {
  if (!text.includes('=')) return prefixedTableNames(text);
  const pairs = text.split(',').map(parsePair);
  if (new Set(pairs.map(([id]) => id)).size < pairs.length) throw new CommandFailure(USAGE);
  return Object.fromEntries(pairs);
};

/** Table names of which some are unknown. Reading an unknown one throws a CommandFailure: there is no default. */
export const onlyNamed = (named: NamedTables): TableNames =>
  new Proxy(named, {
    get: (_, id: TableId): string => {
      const name = named[id];
      if (name !== undefined) return name;
      throw new CommandFailure(`this command needs the table ${id}: name it with --tables ${id}=NAME`);
    },
  }) as TableNames;
