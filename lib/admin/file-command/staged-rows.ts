import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Layout } from '../files/read-rows.ts';
import type { RowText } from '../files/row.ts';
import type { Claims } from './file-command.ts';
import type { Position } from './record-writer.ts';

/** Incremented when an older or newer CLI cannot continue with the tables below. */
export const STAGING_VERSION = 1;

/** Rows in one transaction while they are staged. */
const ROWS_PER_TRANSACTION = 10_000;
/** Rows that are read at a time; then what is confirmed is saved. A killed run repeats at most these and what was in flight. */
export const PAGE_ROWS = 500;

const TABLES = `
  CREATE TABLE rows (line INTEGER PRIMARY KEY, key TEXT NOT NULL, text TEXT NOT NULL);
  CREATE TABLE rejected (line INTEGER PRIMARY KEY, reasons TEXT NOT NULL, waits INTEGER NOT NULL);
  CREATE TABLE claims (key TEXT PRIMARY KEY, line INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE state (
    identity TEXT NOT NULL, started TEXT NOT NULL, layout TEXT NOT NULL, key TEXT NOT NULL, line INTEGER NOT NULL
  );`;

/** A row of the file, and its key; empty when it has none. */
export interface StagedRow extends RowText {
  readonly key: string;
}

/** A row that was rejected, with its reasons. */
export interface StagedRejection extends RowText {
  readonly reasons: readonly string[];
}

/** What a staging file says of itself once all rows are staged. */
export interface StagingState {
  /** What must be the same for the run to be continued. */
  readonly identity: string;
  /** When the run was first started, ISO 8601 UTC. */
  readonly started: string;
  readonly layout: Layout;
  /** The position up to which every write is confirmed. */
  readonly confirmed: Position;
}

/** The state of a staging file; undefined when not all rows are staged. */
export const readState = (db: DatabaseSync): StagingState | undefined => {
  if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'state'").get() === undefined) return undefined;
  const row = db.prepare('SELECT * FROM state').get() as Record<'identity' | 'started' | 'layout' | 'key', string> & {
    readonly line: number;
  };
  if (row === undefined) return undefined;
  const { identity, started, layout, key, line } = row;
  return { identity, started, layout: JSON.parse(layout) as Layout, confirmed: { key, line } };
};

const asNumber = (value: unknown): number => Number(value ?? 0);

const commit = (db: DatabaseSync): void => db.exec('COMMIT; BEGIN IMMEDIATE');

/** Stages rows in an empty file; a transaction is open before and afterwards. */
export const rowStaging = (db: DatabaseSync) => {
  db.exec(TABLES);
  const insert = db.prepare('INSERT INTO rows VALUES (?, ?, ?)');
  let count = 0;
  return {
    add: ({ line, key, text }: StagedRow): void => {
      insert.run(line, key, text);
      count += 1;
      if (count % ROWS_PER_TRANSACTION === 0) commit(db);
    },
    /** Every row is staged: from here on the run can be continued. */
    end: ({ identity, started, layout, confirmed }: StagingState): void => {
      db.exec('CREATE INDEX rows_by_key ON rows (key)');
      const state = [identity, started, JSON.stringify(layout), confirmed.key, confirmed.line];
      db.prepare('INSERT INTO state VALUES (?, ?, ?, ?, ?)').run(...state);
      commit(db);
    },
  };
};

/** Forgets what was found after the confirmed position: it is found again, by the rules as they are now. */
const forgetUnconfirmed = (db: DatabaseSync, { key, line }: Position): void => {
  db.prepare('DELETE FROM rejected WHERE (SELECT (key, line) > (?, ?) FROM rows WHERE rows.line = rejected.line)').run(
    key,
    line,
  );
  db.prepare('DELETE FROM claims WHERE line > ?').run(line);
};

const countOf = (statement: StatementSync, ...parameters: (string | number)[]): number =>
  asNumber(statement.get(...parameters)?.count);

/** What is found and done while the staged rows are worked through. */
export const stagedRows = (db: DatabaseSync, confirmed: Position) => {
  forgetUnconfirmed(db, confirmed);
  // Not one statement with (key, line) > (?, ?): it would read all earlier rows of the key again for each page.
  const sameKey = db.prepare('SELECT line, key, text FROM rows WHERE key = ? AND line > ? ORDER BY line LIMIT ?');
  const laterKeys = db.prepare('SELECT line, key, text FROM rows WHERE key > ? ORDER BY key, line LIMIT ?');
  const reject = db.prepare('INSERT OR REPLACE INTO rejected VALUES (?, ?, ?)');
  const release = db.prepare('DELETE FROM rejected WHERE line = ?');
  const rejected = db.prepare(
    'SELECT line, text, reasons FROM rejected JOIN rows USING (line) WHERE waits = ? AND line > ? ORDER BY line LIMIT ?',
  );
  const save = db.prepare('UPDATE state SET key = ?, line = ?');
  const claim = db.prepare('INSERT OR IGNORE INTO claims VALUES (?, ?)');
  const claimed = db.prepare('SELECT line FROM claims WHERE key = ?');

  const lineOf = (key: string): number | undefined => claimed.get(key)?.line as number | undefined;

  const claims: Claims = {
    claim: (key, line) => {
      claim.run(key, line);
      const owner = lineOf(key);
      return owner === line ? undefined : owner;
    },
    lineOf,
  };

  const pageAfter = ({ key, line }: Position): StagedRow[] => {
    const same = sameKey.all(key, line, PAGE_ROWS);
    const later = same.length < PAGE_ROWS ? laterKeys.all(key, PAGE_ROWS - same.length) : [];
    return [...same, ...later] as unknown as StagedRow[];
  };

  function* rejectionPages(waits: boolean): Generator<StagedRejection[]> {
    for (let line = 0; ; ) {
      const found = rejected.all(Number(waits), line, PAGE_ROWS) as unknown as (RowText & { reasons: string })[];
      const last = found.at(-1);
      if (last === undefined) return;
      line = last.line;
      yield found.map((row) => ({ ...row, reasons: JSON.parse(row.reasons) as string[] }));
    }
  }

  /** Commits what was noted, and that every write up to this position is confirmed. */
  const saveProgress = (position: Position | undefined): void => {
    if (position !== undefined) save.run(position.key, position.line);
    commit(db);
  };

  return {
    claims,

    /** The rows after the confirmed position by key and line, in pages. Other statements may run meanwhile. */
    *pages(): Generator<StagedRow[]> {
      let page = pageAfter(confirmed);
      while (page.length > 0) {
        yield page;
        page = pageAfter(page.at(-1) ?? confirmed);
      }
    },

    /** Notes that a row is rejected; with `waits`, that it is unless another row is loaded. */
    reject: (line: number, reasons: readonly string[], waits = false): void => {
      reject.run(line, JSON.stringify(reasons), Number(waits));
    },

    /** A row that waited is loaded. */
    release: (line: number): void => {
      release.run(line);
    },

    /** The rejected rows in the order of the file, in pages: those that wait, or the others. */
    rejectionPages,

    /** Rows that still wait are rejected. */
    rejectWaiting: (): void => {
      db.exec('UPDATE rejected SET waits = 0 WHERE waits');
    },

    save: saveProgress,

    /** The same after an error, which may be that the disk is full: then the last saved position stays. */
    saveIfPossible: (position: Position | undefined): void => {
      try {
        saveProgress(position);
      } catch (error) {
        if (!(error instanceof Error && 'errcode' in error)) throw error;
      }
    },

    /** Numbers of rows: all, those before the confirmed position, and rejected ones at present. */
    total: (): number => countOf(db.prepare('SELECT count(*) AS count FROM rows')),
    confirmed: (): number => {
      const { key, line } = confirmed;
      const earlier = db.prepare('SELECT count(*) AS count FROM rows WHERE key < ?');
      const same = db.prepare('SELECT count(*) AS count FROM rows WHERE key = ? AND line <= ?');
      return countOf(earlier, key) + countOf(same, key, line);
    },
    rejected: (waits: boolean): number =>
      countOf(db.prepare('SELECT count(*) AS count FROM rejected WHERE waits = ?'), Number(waits)),
  };
};

export type StagedRows = ReturnType<typeof stagedRows>;
