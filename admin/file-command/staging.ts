import { accessSync, constants } from 'node:fs';
import { CommandFailure } from '../command/command-result.ts';
import { asFileFailure } from '../files/file-failure.ts';
import { type GivenRow, type Layout, type RejectedRow, type Row, readRow } from '../files/rows.ts';
import { openStagingDatabase, queryRows } from '../staging-database.ts';

/** What helps when the folder of temporary files cannot be used. */
export const ELSEWHERE = '--staging DIR names another folder';

/** Kilobytes that SQLite keeps in memory. */
const CACHE_KB = 16_384;

/** `given`: a line, or the cells of a CSV as JSON. `missing`, `damaged`: what a complete file lacks. `removed`: by a dry run. */
const TABLES = `
  CREATE TABLE rows (line INTEGER PRIMARY KEY, key TEXT NOT NULL, given TEXT NOT NULL);
  CREATE TABLE rejected (line INTEGER PRIMARY KEY, reasons TEXT NOT NULL);
  CREATE TABLE missing (key TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE damaged (key TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE removed (key TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE not_there (key TEXT PRIMARY KEY) WITHOUT ROWID;`;

/** More rows of a vehicle are a mistake: it has at most 20 policies. All of them are read together. */
const REJECT_MANY = `
  INSERT OR IGNORE INTO rejected SELECT line, '["a vehicle has at most 1,000 rows and 4 MB"]' FROM rows WHERE key IN (
    SELECT key FROM rows WHERE key <> '' GROUP BY key HAVING count(*) > 1000 OR sum(length(given)) > 4000000)`;

interface StagedRow {
  readonly line: number;
  readonly key: string;
  readonly given: string;
}

type Keys = 'missing' | 'damaged' | 'removed' | 'not_there';

const requireFolder = (folder: string): void => {
  try {
    // SQLite itself would go on in the system's folder, which may be small or in memory.
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const failure = asFileFailure(error, folder);
    if (!(failure instanceof CommandFailure)) throw failure;
    throw new CommandFailure(`the rows cannot be staged, and nothing was done: ${failure.message}; ${ELSEWHERE}`);
  }
};

/**
 * The rows of a file, and what is found while they are worked through, in a database that the caller closes.
 * @throws CommandFailure when the folder cannot be used
 */
export const openStaging = (folder: string) => {
  requireFolder(folder);
  const db = openStagingDatabase(folder);
  db.exec(`PRAGMA cache_size = -${CACHE_KB}; ${TABLES}`);
  const insert = db.prepare('INSERT INTO rows VALUES (?, ?, ?)');
  const insertRejected = db.prepare('INSERT OR REPLACE INTO rejected VALUES (?, ?)');
  const insertKey = (table: Keys) => {
    const statement = db.prepare(`INSERT OR IGNORE INTO ${table} VALUES (?)`);
    return (key: string): void => void statement.run(key);
  };
  let layout: Layout = 'txt';

  const rowOf = ({ line, given }: StagedRow): Row =>
    readRow({ line, given: typeof layout === 'object' ? JSON.parse(given) : given }, layout);
  function* read(sql: string): Generator<StagedRow> {
    yield* queryRows<StagedRow>(db.prepare(sql));
  }

  return {
    db,
    layout: () => layout,
    setLayout: (found: Layout): void => {
      layout = found;
    },

    /** `key` is empty for a row without a registration. */
    add: ({ line, given }: GivenRow, key: string): void =>
      void insert.run(line, key, typeof given === 'string' ? given : JSON.stringify(given)),

    reject: (line: number, reasons: readonly string[]): void => void insertRejected.run(line, JSON.stringify(reasons)),

    /** Called after the last row. */
    rejectManyRows: (): void => db.exec(REJECT_MANY),

    /** The rows that are not rejected yet, in the order of the file. */
    *rows(): Generator<Row> {
      for (const row of read('SELECT * FROM rows WHERE line NOT IN (SELECT line FROM rejected) ORDER BY line')) {
        yield rowOf(row);
      }
    },

    /** The rows of each vehicle that are not rejected yet, by registration. Other statements may run meanwhile. */
    *groups(): Generator<{ readonly key: string; readonly rows: readonly Row[] }> {
      let [key, rows]: [string, Row[]] = ['', []];
      // The plus keeps SQLite from reading the rows one by one in the order of an index, which takes longer.
      for (const row of read('SELECT * FROM rows WHERE line NOT IN (SELECT line FROM rejected) ORDER BY +key, line')) {
        if (row.key !== key && rows.length > 0) yield { key, rows };
        if (row.key !== key) [key, rows] = [row.key, []];
        rows.push(rowOf(row));
      }
      if (rows.length > 0) yield { key, rows };
    },

    /** In the order of the file. */
    *rejectedRows(): Generator<RejectedRow> {
      for (const row of read('SELECT * FROM rejected JOIN rows USING (line) ORDER BY line')) {
        yield { row: rowOf(row), reasons: JSON.parse((row as StagedRow & { readonly reasons: string }).reasons) };
      }
    },

    /** The keys in a table, in their order. */
    *keys(table: Keys): Generator<string> {
      for (const { key } of read(`SELECT key FROM ${table} ORDER BY key`)) yield key;
    },
    /** Rows of a table, or of what follows FROM. */
    count: (rows: string): number => Number(db.prepare(`SELECT count(*) AS count FROM ${rows}`).get()?.count),
    addRemoved: insertKey('removed'),
    addNotThere: insertKey('not_there'),
  };
};

export type StagedRows = ReturnType<typeof openStaging>;
