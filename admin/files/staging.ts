import { accessSync, constants } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CommandFailure } from '../command/command-result.ts';
import type { CsvLayout } from './columns.ts';
import type { WrittenList } from './output-file.ts';
import { CELL_END, type GivenRow, type RejectedRow, type Row, readRow } from './rows.ts';
import { asFileFailure } from './source-file.ts';

const ELSEWHERE = '--staging DIR names another folder';
/** Kilobytes that SQLite keeps in memory. */
const CACHE_KB = 16_384;
/** The primary result code of SQLite for a full disk. */
const SQLITE_FULL = 13;

/**
 * `given` is a line, or the cells of a CSV row with `CELL_END` between them. `key` is the registration, NULL for an
 * unreadable row, and empty for a row of content. `reasons` is a list as JSON. The table `keys` has the registrations
 * of each list.
 */
const TABLES = `
  CREATE TABLE rows (line INTEGER PRIMARY KEY, key TEXT, given TEXT NOT NULL);
  CREATE TABLE rejected (line INTEGER PRIMARY KEY, reasons TEXT NOT NULL);
  CREATE TABLE keys (list TEXT, key TEXT, PRIMARY KEY (list, key)) WITHOUT ROWID;`;

/** More rows are a mistake: a vehicle has at most 20 policies, and all of its rows are read together. */
const REJECT_MANY = `
  INSERT OR IGNORE INTO rejected SELECT line, '["a vehicle has at most 1,000 rows and 4,000,000 characters"]' FROM rows WHERE key IN (
    SELECT key FROM rows WHERE key IS NOT NULL GROUP BY key HAVING count(*) > 1000 OR sum(length(given)) > 4000000)`;

const NOT_REJECTED = 'SELECT * FROM rows WHERE line NOT IN (SELECT line FROM rejected)';

/**
 * Counts reasons that differ only in line numbers as one: `general` is without them, and `reason` is the first line's,
 * from which SQLite takes the bare column.
 */
const COUNT_REASONS = `
  SELECT general(value) AS general, value AS reason, count(DISTINCT line) AS count, min(line) AS line
  FROM rejected, json_each(reasons) GROUP BY 1 ORDER BY count DESC, line LIMIT 1000`;

/**
 * `unknown-format` has a few examples, which are shown, `erased` what a complete file must leave, `uncovered` the
 * vehicles that it would leave without cover, and `stored` those to which a file is limited. The other lists are
 * written to files.
 */
type KeyList = WrittenList | 'unknown-format' | 'erased' | 'uncovered' | 'stored';

const requireFolder = (folder: string): void => {
  try {
    // Without this check SQLite would use the system's folder instead, which may be small or in memory.
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { message } = asFileFailure(error, folder) as Error;
    throw new CommandFailure(`the rows cannot be staged, and nothing was done: ${message}; ${ELSEWHERE}`);
  }
};

/** An error of SQLite as a message; any other error is returned unchanged. */
export const asStagingFailure = (error: unknown, folder: string, before: string): unknown => {
  const { errcode } = error as { readonly errcode?: unknown };
  if (typeof errcode !== 'number') return error;
  // The low byte of an extended code is the primary one.
  const what = (errcode & 0xff) === SQLITE_FULL ? 'there is no room left' : 'temporary files cannot be written or read';
  return new CommandFailure(`${what} in ${folder}; ${before}${ELSEWHERE}`, { cause: error });
};

/** A database without a file name, which disappears however the process ends. The caller closes it. */
export const openStaging = (folder: string) => {
  requireFolder(folder);
  // SQLite has no other setting for the folder of databases without a file name. All of a process are in the folder of
  // the first one.
  process.env.SQLITE_TMPDIR = folder;
  const db = new DatabaseSync('');
  // No log and no waiting for the disk: a staged file is never continued.
  db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${CACHE_KB}; BEGIN; ${TABLES}`);
  db.function('general', (text) =>
    String(text)
      .replace(/\bline \d+/g, 'another line')
      .replace(/\[\d+\]/g, '[]'),
  );
  const insert = db.prepare('INSERT INTO rows VALUES (?, ?, ?)');
  const insertRejected = db.prepare('INSERT INTO rejected VALUES (?, ?)');
  const insertKey = db.prepare('INSERT OR IGNORE INTO keys VALUES (?, ?)');
  let layout: CsvLayout | undefined;

  /** The caller knows the columns. Other statements may run while the rows are read. */
  const query = <Columns>(sql: string, ...values: string[]) =>
    db.prepare(sql).iterate(...values) as Iterable<unknown> as Iterable<Columns>;
  const count = (from: string, ...values: string[]): number =>
    Number(db.prepare(`SELECT count(*) AS count FROM ${from}`).get(...values)?.count);
  const rowOf = ({ line, given }: StagedRow): Row =>
    readRow({ line, given: layout ? given.split(CELL_END) : given }, layout);

  interface StagedRow {
    readonly line: number;
    readonly given: string;
  }

  return {
    db,
    layout: () => layout,
    setLayout: (found: CsvLayout | undefined): void => {
      layout = found;
    },

    add: ({ line, given }: GivenRow, key: string | null): void =>
      void insert.run(line, key, typeof given === 'string' ? given : given.join(CELL_END)),

    reject: (line: number, reasons: readonly string[]): void => void insertRejected.run(line, JSON.stringify(reasons)),

    /** Leaves out the rows of vehicles that are not in the list `stored`, but no unreadable ones. @returns their number */
    keepStored: (): number => {
      const isOther = "key IS NOT NULL AND key NOT IN (SELECT key FROM keys WHERE list = 'stored')";
      return Number(db.prepare(`DELETE FROM rows WHERE ${isOther}`).run().changes);
    },

    rejectManyRows: (): void => db.exec(REJECT_MANY),

    /** The rows that are not rejected yet, in the order of the file. */
    *rows(): Generator<Row> {
      for (const row of query<StagedRow>(`${NOT_REJECTED} ORDER BY line`)) yield rowOf(row);
    },

    *keys(): Generator<string> {
      for (const { key } of query<{ key: string }>('SELECT DISTINCT key FROM rows WHERE key IS NOT NULL')) yield key;
    },

    /** The rows of each vehicle that are not rejected yet, by registration. */
    *groups(): Generator<{ readonly key: string; readonly rows: readonly Row[] }> {
      let [key, rows]: [string, Row[]] = ['', []];
      // The plus keeps SQLite from reading the rows one by one in the order of an index, which takes longer.
      for (const row of query<StagedRow & { key: string }>(`${NOT_REJECTED} ORDER BY +key, line`)) {
        if (row.key !== key && rows.length > 0) yield { key, rows };
        if (row.key !== key) [key, rows] = [row.key, []];
        rows.push(rowOf(row));
      }
      if (rows.length > 0) yield { key, rows };
    },

    *rejectedRows(): Generator<RejectedRow> {
      const rejected = query<StagedRow & { reasons: string }>(
        'SELECT * FROM rejected JOIN rows USING (line) ORDER BY line',
      );
      for (const row of rejected) yield { row: rowOf(row), reasons: JSON.parse(row.reasons) };
    },

    /** The 1,000 most frequent reasons, the most frequent one first. */
    reasons: () => [...query<{ general: string; reason: string; count: number; line: number }>(COUNT_REASONS)],

    row: (line: number): Row | undefined => {
      const [found] = query<StagedRow>('SELECT * FROM rows WHERE line = ?', `${line}`);
      return found && rowOf(found);
    },

    list: (list: KeyList, key: string): void => void insertKey.run(list, key),
    *listed(list: KeyList): Generator<string> {
      for (const { key } of query<{ key: string }>('SELECT key FROM keys WHERE list = ? ORDER BY key', list)) yield key;
    },
    countListed: (list: KeyList): number => count('keys WHERE list = ?', list),
    countRows: (): number => count('rows'),
    countUnreadable: (): number => count('rows WHERE key IS NULL'),
    countRejected: (): number => count('rejected'),
  };
};

export type StagedRows = ReturnType<typeof openStaging>;

/** Items that are read between two pauses. */
const ITEMS_AT_ONCE = 500;

/**
 * Yields items, and lets the event loop run now and then. Otherwise Ctrl-C would have no effect while all are rejected.
 * @param onPause is also called at the end
 */
export async function* withPauses<Item>(items: Iterable<Item>, onPause: () => void): AsyncGenerator<Item> {
  let count = 0;
  for (const item of items) {
    yield item;
    count += 1;
    if (count % ITEMS_AT_ONCE !== 0) continue;
    onPause();
    await nextTurn();
  }
  onPause();
}
