import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { type Layout, rowsOf } from '../files/read-rows.ts';
import type { RejectedRow, Row, RowText } from '../files/row.ts';
import type { Claims } from './file-command.ts';
import type { Position } from './record-writer.ts';
import { DamagedStaging } from './staging-file.ts';

/** Incremented when an older or newer CLI cannot continue with the tables below. */
export const STAGING_VERSION = 1;

/** Rows in one transaction while they are staged. */
const ROWS_PER_TRANSACTION = 10_000;
/** Rows that are read at a time; then what is confirmed is saved. A killed run repeats at most these and what was in flight. */
const PAGE_ROWS = 500;

/** `waits` marks a row that is rejected unless another row makes way for it. `state` has a row once all rows are staged. */
const TABLES = `
  CREATE TABLE rows (line INTEGER PRIMARY KEY, key TEXT NOT NULL, text TEXT NOT NULL, sum INTEGER NOT NULL);
  CREATE TABLE rejected (line INTEGER PRIMARY KEY, reasons TEXT NOT NULL, waits INTEGER NOT NULL);
  CREATE TABLE claims (key TEXT PRIMARY KEY, line INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE state (text TEXT NOT NULL, key TEXT NOT NULL, line INTEGER NOT NULL, sum INTEGER NOT NULL);`;

/** What must be the same for a run to be continued. */
export interface StagingIdentity {
  readonly version: number;
  /** Bytes, time of modification and hash of a sample. */
  readonly file: readonly unknown[];
  /** When the table was created: one that was deleted and created again has the same name. */
  readonly created: string | undefined;
}

/** What a staging file says of itself. */
interface StagingFacts {
  readonly identity: StagingIdentity;
  /** When the run was first started, ISO 8601 UTC. */
  readonly started: string;
  readonly layout: Layout;
}

export interface StagingState extends StagingFacts {
  /** The number of staged rows. */
  readonly total: number;
  /** The position up to which every write is confirmed. */
  readonly confirmed: Position;
}

interface SummedRow extends RowText, Position {
  readonly sum: number;
}

/** SQLite finds damage of its own structure only. */
const sumOf = ({ line, text }: RowText, key: string): number => crc32(`${line} ${key} ${text}`);

/** The state of a staging file; undefined when not all rows are staged. */
export const readState = (db: DatabaseSync): StagingState | undefined => {
  const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'state'").get() !== undefined;
  const row = hasTable ? db.prepare('SELECT text, key, line, sum FROM state').get() : undefined;
  if (row === undefined) return undefined;
  const { text, key, line, sum } = row as unknown as SummedRow;
  if (sumOf({ line, text }, key) !== sum) throw new DamagedStaging();
  return { ...(JSON.parse(text) as Omit<StagingState, 'confirmed'>), confirmed: { key, line } };
};

const commit = (db: DatabaseSync): void => db.exec('COMMIT; BEGIN IMMEDIATE');

/** Stages rows in an empty file; a transaction is open before and afterwards. */
export const rowStaging = (db: DatabaseSync) => {
  db.exec(TABLES);
  const insert = db.prepare('INSERT INTO rows VALUES (?, ?, ?, ?)');
  let count = 0;
  return {
    /** `key` is empty for a row without one. */
    add: (row: RowText, key: string): void => {
      insert.run(row.line, key, row.text, sumOf(row, key));
      count += 1;
      if (count % ROWS_PER_TRANSACTION === 0) commit(db);
    },
    /** Every row is staged: from here on the run can be continued. */
    end: (facts: StagingFacts): StagingState => {
      db.exec('CREATE INDEX rows_by_key ON rows (key)');
      const state = { ...facts, total: count };
      const row = { text: JSON.stringify(state), key: '', line: 0 };
      db.prepare('INSERT INTO state VALUES (?, ?, ?, ?)').run(row.text, row.key, row.line, sumOf(row, row.key));
      commit(db);
      return { ...state, confirmed: { key: row.key, line: row.line } };
    },
  };
};

/** Forgets what was found after the confirmed position: it is found again, by the rules as they are now. */
const forgetUnconfirmed = (db: DatabaseSync, { key, line }: Position): void => {
  const isLater = 'SELECT (key, line) > (?, ?) FROM rows WHERE rows.line = rejected.line';
  db.prepare(`DELETE FROM rejected WHERE (${isLater})`).run(key, line);
  db.prepare('DELETE FROM claims WHERE line > ?').run(line);
};

/** The staged rows after the confirmed position, and what is found while they are worked through. */
export const stagedRows = (db: DatabaseSync, { layout, total, confirmed }: StagingState) => {
  forgetUnconfirmed(db, confirmed);
  // Not one statement with (key, line) > (?, ?): it would read all earlier rows of the key again for each page.
  const sameKey = db.prepare('SELECT line, key, text, sum FROM rows WHERE key = ? AND line > ? ORDER BY line LIMIT ?');
  const laterKeys = db.prepare('SELECT line, key, text, sum FROM rows WHERE key > ? ORDER BY key, line LIMIT ?');
  const reject = db.prepare('INSERT OR REPLACE INTO rejected VALUES (?, ?, ?)');
  const release = db.prepare('DELETE FROM rejected WHERE line = ?');
  const rejected = db.prepare(
    'SELECT line, text, reasons FROM rejected JOIN rows USING (line) WHERE waits = ? AND line > ? ORDER BY line LIMIT ?',
  );
  const save = db.prepare('UPDATE state SET key = ?, line = ?, sum = ?');
  const facts = String(db.prepare('SELECT text FROM state').get()?.text);
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

  const pageAfter = ({ key, line }: Position) => {
    const same = sameKey.all(key, line, PAGE_ROWS);
    const later = same.length < PAGE_ROWS ? laterKeys.all(key, PAGE_ROWS - same.length) : [];
    const page = [...same, ...later] as unknown as SummedRow[];
    if (page.some((row) => sumOf(row, row.key) !== row.sum)) throw new DamagedStaging();
    return page;
  };

  const count = (from: string, ...parameters: (string | number)[]): number =>
    Number(db.prepare(`SELECT count(*) AS count FROM ${from}`).get(...parameters)?.count);

  return {
    claims,

    /** The rows by key and line with their keys, in pages. Other statements may run meanwhile. */
    *pages(): Generator<(readonly [Row, string])[]> {
      let page = pageAfter(confirmed);
      while (page.length > 0) {
        const rows = rowsOf(page, layout);
        yield rows.map((row, index) => [row, page[index]?.key ?? '']);
        page = pageAfter(page.at(-1) ?? confirmed);
      }
    },

    reject: ({ line }: Pick<RowText, 'line'>, reasons: readonly string[], waits = false): void => {
      reject.run(line, JSON.stringify(reasons), Number(waits));
    },

    /** A row that waited is loaded. */
    release: ({ line }: Row): void => {
      release.run(line);
    },

    /** Rows that still wait are rejected. */
    rejectWaiting: (): void => {
      db.exec('UPDATE rejected SET waits = 0 WHERE waits');
    },

    /** The rejected rows in the order of the file, in pages: those that wait, or the others. */
    *rejectionPages(waits: boolean): Generator<RejectedRow[]> {
      for (let line = 0; ; ) {
        const page = rejected.all(Number(waits), line, PAGE_ROWS) as unknown as (RowText & { reasons: string })[];
        const last = page.at(-1);
        if (last === undefined) return;
        line = last.line;
        const reasons = page.map((one) => JSON.parse(one.reasons) as string[]);
        yield rowsOf(page, layout).map((row, index) => ({ row, reasons: reasons[index] ?? [] }));
      }
    },

    /**
     * Commits what was found, and that every write up to this position is confirmed. When the disk is full, SQLite has
     * forgotten what was found, and the last saved position stays.
     */
    save: (position: Position | undefined): void => {
      if (!db.isTransaction) return;
      if (position !== undefined) {
        const { key, line } = position;
        save.run(key, line, sumOf({ line, text: facts }, key));
      }
      commit(db);
    },

    total,

    /** Numbers of rows: those up to the confirmed position, and those that wait or are rejected at present. */
    confirmed: (): number =>
      count('rows WHERE key < ?', confirmed.key) +
      count('rows WHERE key = ? AND line <= ?', confirmed.key, confirmed.line),
    rejected: (waits: boolean): number => count('rejected WHERE waits = ?', Number(waits)),
  };
};

export type StagedRows = ReturnType<typeof stagedRows>;
