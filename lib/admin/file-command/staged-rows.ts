import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { type Layout, rowsOf } from '../files/read-rows.ts';
import type { RejectedRow, Row, RowText } from '../files/row.ts';
import { type Claims, MAX_GROUP_ROWS, type RowGroup } from './file-command.ts';
import { DamagedStaging } from './staging-database.ts';

/** Incremented when an older or newer CLI cannot continue with the tables below. */
export const STAGING_VERSION = 5;

/** Rows in one transaction while they are staged. */
const ROWS_PER_TRANSACTION = 10_000;
/** Rows that are read at a time; then what is confirmed is saved. A killed run repeats at most these and what was in flight. */
const PAGE_ROWS = 500;

/**
 * `work` has the rows in the order in which they are worked through. `status` is a `Rejection`. `state` has a row once all rows
 * are staged. SQLite finds damage of its own structure only: hence `sum`.
 */
const TABLES = `
  CREATE TABLE rows (line INTEGER PRIMARY KEY, key TEXT NOT NULL, text TEXT NOT NULL, sum INTEGER NOT NULL);
  CREATE TABLE work (position INTEGER PRIMARY KEY, line INTEGER NOT NULL);
  CREATE TABLE rejected (line INTEGER PRIMARY KEY, position INTEGER NOT NULL, reasons TEXT NOT NULL, status TEXT NOT NULL);
  CREATE TABLE claims (key TEXT PRIMARY KEY, line INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE state (json TEXT NOT NULL, sum INTEGER NOT NULL);`;

/** What must be the same for a run to be continued. */
export interface StagingIdentity {
  readonly version: number;
  /** Bytes, time of modification and hash of a sample. */
  readonly file: readonly unknown[];
  /** When the table was created: one that was deleted and created again has the same name. */
  readonly created: string | undefined;
}

/** What a staging file says of itself. */
export interface StagingState {
  readonly identity: StagingIdentity;
  /** When the run was first started, ISO 8601 UTC. */
  readonly started: string;
  readonly layout: Layout;
  /** The number of staged rows, which is their last position. */
  readonly total: number;
  /** The position up to which every write is confirmed. */
  readonly confirmed: number;
  /** Records loaded. Those that were in flight at a stop are written again, and count again. */
  readonly loaded: number;
}

/** The status of a row that is not loaded: a `waiting` one is rejected unless another row makes way for it. */
type Rejection = 'rejected' | 'waiting';

interface StagedRow extends RowText {
  readonly position: number;
  readonly key: string;
  readonly sum: number;
}

const sumOf = (line: number, key: string, text: string): number => crc32(`${line} ${key} ${text}`);

/** The state of a staging file; undefined when not all rows are staged. */
export const readState = (db: DatabaseSync): StagingState | undefined => {
  const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'state'").get() !== undefined;
  const row = hasTable ? db.prepare('SELECT * FROM state').get() : undefined;
  if (row === undefined) return undefined;
  if (crc32(String(row.json)) !== row.sum) throw new DamagedStaging();
  return JSON.parse(String(row.json)) as StagingState;
};

const commit = (db: DatabaseSync): void => db.exec('COMMIT; BEGIN IMMEDIATE');

/** Stages rows in an empty file; a transaction is open before and afterwards. */
export const rowStaging = (db: DatabaseSync) => {
  db.exec(TABLES);
  const insert = db.prepare('INSERT INTO rows VALUES (?, ?, ?, ?)');
  let total = 0;
  return {
    /** `key` is empty for a row without one. */
    add: ({ line, text }: RowText, key: string): void => {
      insert.run(line, key, text, sumOf(line, key, text));
      total += 1;
      if (total % ROWS_PER_TRANSACTION === 0) commit(db);
    },
    /** Every row is staged: from here on the run can be continued. */
    end: (facts: Pick<StagingState, 'identity' | 'started' | 'layout'>): StagingState => {
      db.exec('INSERT INTO work (line) SELECT line FROM rows ORDER BY key, line');
      const state = { ...facts, total, confirmed: 0, loaded: 0 };
      const json = JSON.stringify(state);
      db.prepare('INSERT INTO state VALUES (?, ?)').run(json, crc32(json));
      commit(db);
      return state;
    },
  };
};

/** The staged rows after the confirmed position, and what is found while they are worked through. */
export const stagedRows = (db: DatabaseSync, state: StagingState) => {
  const { layout, confirmed } = state;
  // These rows are read again, by the current rules.
  db.prepare('DELETE FROM rejected WHERE position > ?').run(confirmed);
  db.prepare('DELETE FROM claims WHERE line > coalesce((SELECT line FROM work WHERE position = ?), 0)').run(confirmed);
  const nextRows = db.prepare('SELECT * FROM work JOIN rows USING (line) WHERE position > ? ORDER BY position LIMIT ?');
  const reject = db.prepare('INSERT OR REPLACE INTO rejected VALUES (?, ?, ?, ?)');
  const release = db.prepare('DELETE FROM rejected WHERE line = ?');
  const rejections = db.prepare(
    'SELECT line, text, reasons FROM rejected JOIN rows USING (line) WHERE status = ? AND line > ? ORDER BY line LIMIT ?',
  );
  const count = db.prepare('SELECT count(*) AS count FROM rejected WHERE status = ?');
  const save = db.prepare('UPDATE state SET json = ?, sum = ?');
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

  return {
    db,
    claims,

    /** The rows with the same key, by key: after each page of rows the groups that it completes. Other statements may run meanwhile. */
    *groups(): Generator<RowGroup[]> {
      let position = confirmed;
      let group: (RowGroup & { readonly rows: Row[] }) | undefined;
      for (;;) {
        const page = nextRows.all(position, PAGE_ROWS) as unknown as StagedRow[];
        if (page.length === 0) break;
        if (page.some(({ line, key, text, sum }) => sumOf(line, key, text) !== sum)) throw new DamagedStaging();
        const completed: RowGroup[] = [];
        for (const [index, row] of rowsOf(page, layout).entries()) {
          const key = page[index]?.key || undefined;
          const same = key !== undefined && key === group?.key ? group : undefined;
          if (same && same.rows.length < MAX_GROUP_ROWS) {
            same.rows.push(row);
            continue;
          }
          const isPart = same !== undefined;
          if (group) completed.push({ ...group, isPart: group.isPart || isPart });
          group = { key, rows: [row], firstLine: same?.firstLine ?? row.line, isPart };
        }
        position = page.at(-1)?.position ?? position;
        yield completed;
      }
      if (group) yield [group];
    },

    reject: (line: number, position: number, reasons: readonly string[], status: Rejection = 'rejected'): void => {
      reject.run(line, position, JSON.stringify(reasons), status);
    },

    /** A row that waited is loaded. */
    release: ({ line }: Row): void => {
      release.run(line);
    },

    /** Rows that still wait are rejected. */
    rejectWaiting: (): void => {
      db.exec("UPDATE rejected SET status = 'rejected' WHERE status = 'waiting'");
    },

    /** These rows in the order of the file, in pages. */
    *pages(status: Rejection): Generator<RejectedRow[]> {
      for (let line = 0; ; ) {
        const page = rejections.all(status, line, PAGE_ROWS) as unknown as (RowText & { reasons: string })[];
        const last = page.at(-1);
        if (last === undefined) return;
        line = last.line;
        yield rowsOf(page, layout).map((row, index) => ({ row, reasons: JSON.parse(page[index]?.reasons ?? '[]') }));
      }
    },

    /** How many rows are rejected, or wait, at present. */
    count: (status: Rejection): number => Number(count.get(status)?.count),

    /**
     * Commits what was found, that every write up to this position is confirmed, and how many records this run has loaded.
     * When the disk is full, SQLite has forgotten what was found, and the last saved position stays.
     */
    save: (position: number, loaded: number): void => {
      if (!db.isTransaction) return;
      const json = JSON.stringify({ ...state, confirmed: position, loaded: state.loaded + loaded });
      save.run(json, crc32(json));
      commit(db);
    },
  };
};

export type StagedRows = ReturnType<typeof stagedRows>;
