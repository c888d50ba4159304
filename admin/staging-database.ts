/** SQLite databases in files without a name. SQLite deletes them once open: they are gone however the process ends. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

/** Opens an empty database in a folder. All databases of a process use the folder of the first one. */
export const openStagingDatabase = (folder: string): DatabaseSync => {
  // SQLite has no other setting for the folder of files without a name.
  process.env.SQLITE_TMPDIR = folder;
  const db = new DatabaseSync('');
  // No log and no waiting for the disk: a staged file is never continued.
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN');
  return db;
};

/** The rows of a query, whose columns the caller knows. */
export const queryRows = <Row extends object>(query: StatementSync, ...values: SQLInputValue[]): Iterable<Row> =>
  query.iterate(...values) as Iterable<unknown> as Iterable<Row>;
