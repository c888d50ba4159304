import type { DatabaseSync } from 'node:sqlite';
import { type Layout, rowsOf } from '../files/read-rows.ts';
import type { RejectedRow, Row, RowText } from '../files/row.ts';

/** Remembers which line of a file has claimed a key first, such as a slug. */
export interface Claims {
  /** Claims the key for a line. Returns the earlier line that has it, if one has. */
  readonly claim: (key: string, line: number) => number | undefined;
  readonly lineOf: (key: string) => number | undefined;
}

/** A vehicle has at most 20 policies; more rows than this are a mistake and are not kept in memory together. */
export const MAX_GROUP_ROWS = 1_000;

/** Rows with the same key, in the order of the file. A row without a key is a group of its own. */
export interface RowGroup {
  readonly key: string | undefined;
  readonly rows: readonly Row[];
  /** The line of the first row with this key. */
  readonly firstLine: number;
  /** Whether there are more rows than `MAX_GROUP_ROWS`, of which these are some. */
  readonly isTruncated: boolean;
}

/** Rows that are parsed at a time. */
const PAGE_ROWS = 500;

/**
 * `missing` has what a complete file lacks, `removed` what a dry run would have removed. `waits` is 1 for a row that is rejected unless
 * another row makes way for it.
 */
const TABLES = `
  CREATE TABLE rows (line INTEGER PRIMARY KEY, key TEXT NOT NULL, text TEXT NOT NULL);
  CREATE TABLE excepted (key TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE rejected (line INTEGER PRIMARY KEY, reasons TEXT NOT NULL, waits INTEGER NOT NULL);
  CREATE TABLE claims (key TEXT PRIMARY KEY, line INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE moved_slugs (slug TEXT PRIMARY KEY, id TEXT) WITHOUT ROWID;
  CREATE TABLE missing (key TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE removed (key TEXT PRIMARY KEY) WITHOUT ROWID;`;

interface StagedRow extends RowText {
  readonly key: string;
}

/** The rows of a file, and what is found while they are worked through. */
export const stagedRows = (db: DatabaseSync) => {
  db.exec(TABLES);
  const insert = db.prepare('INSERT INTO rows VALUES (?, ?, ?)');
  const except = db.prepare('INSERT OR IGNORE INTO excepted VALUES (?)');
  const reject = db.prepare('INSERT OR REPLACE INTO rejected VALUES (?, ?, ?)');
  const release = db.prepare('DELETE FROM rejected WHERE line = ?');
  const rejections = db.prepare(
    'SELECT line, text, reasons FROM rejected JOIN rows USING (line) WHERE waits = ? AND line > ? ORDER BY line LIMIT ?',
  );
  const claim = db.prepare('INSERT OR IGNORE INTO claims VALUES (?, ?)');
  const claimed = db.prepare('SELECT line FROM claims WHERE key = ?');
  const moveSlug = db.prepare('INSERT OR REPLACE INTO moved_slugs VALUES (?, ?)');
  const movedSlug = db.prepare('SELECT id FROM moved_slugs WHERE slug = ?');
  const addRemoved = db.prepare('INSERT OR IGNORE INTO removed VALUES (?)');
  const isExcepted = db.prepare('SELECT 1 FROM excepted WHERE key = ?');
  let layout: Layout = 'txt';
  let hasExceptions = false;
  let [total, excepted] = [0, 0];

  const countRejected = db.prepare('SELECT count(*) AS count FROM rejected WHERE waits = ?');
  const count = (waits: boolean): number => Number(countRejected.get(Number(waits))?.count);
  function* readRejected(waits: boolean): Generator<RejectedRow[]> {
    for (let line = 0; ; ) {
      const page = rejections.all(Number(waits), line, PAGE_ROWS) as unknown as (RowText & { reasons: string })[];
      const last = page.at(-1);
      if (last === undefined) return;
      line = last.line;
      yield rowsOf(page, layout).map((row, index) => ({ row, reasons: JSON.parse(page[index]?.reasons ?? '[]') }));
    }
  }
  function* keysIn(query: string): Generator<string> {
    for (const { key } of db.prepare(query).iterate()) yield String(key);
  }

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

    movedSlugs: {
      ownerOf: (slug: string) => movedSlug.get(slug)?.id as string | null | undefined,
      move: (slug: string, id: string | null) => void moveSlug.run(slug, id),
    },

    setLayout: (next: Layout): void => {
      layout = next;
    },

    /** The layout of all rows. */
    layout: (): Layout => layout,

    /** `key` is empty for a row without one. An excepted row is left out. */
    add: ({ line, text }: Row, key: string): void => {
      if (hasExceptions && isExcepted.get(key) !== undefined) {
        excepted += 1;
        return;
      }
      insert.run(line, key, text);
      total += 1;
    },

    /** The record of this key is never loaded, and removed where it is stored. Called before any row is added. */
    except: (key: string): void => {
      except.run(key);
      hasExceptions = true;
    },

    /** Rows of the file that are worked through. */
    total: (): number => total,

    /** Rows that were left out. */
    excepted: (): number => excepted,

    /** The rows with the same key, by key: after each page of rows the groups that it completes. Other statements may run meanwhile. */
    *groups(): Generator<RowGroup[]> {
      let group: (RowGroup & { readonly rows: Row[] }) | undefined;

      const completedBy = (page: readonly StagedRow[]): RowGroup[] => {
        const completed: RowGroup[] = [];
        for (const [index, row] of rowsOf(page, layout).entries()) {
          const key = page[index]?.key || undefined;
          const same = key !== undefined && key === group?.key ? group : undefined;
          if (same && same.rows.length < MAX_GROUP_ROWS) {
            same.rows.push(row);
            continue;
          }
          const isTruncated = same !== undefined;
          if (group) completed.push({ ...group, isTruncated: group.isTruncated || isTruncated });
          group = { key, rows: [row], firstLine: same?.firstLine ?? row.line, isTruncated };
        }
        return completed;
      };

      // Sorted outside of an index, because texts that are looked up one by one take longer.
      const sorted = db.prepare('SELECT * FROM rows ORDER BY +key, line').iterate();
      let page: StagedRow[] = [];
      for (const row of sorted as Iterable<unknown> as Iterable<StagedRow>) {
        page.push(row);
        if (page.length < PAGE_ROWS) continue;
        yield completedBy(page);
        page = [];
      }
      yield completedBy(page);
      if (group) yield [group];
    },

    reject: (line: number, reasons: readonly string[], waits = false): void => {
      reject.run(line, JSON.stringify(reasons), Number(waits));
    },

    /** A row that waited is loaded. */
    release: ({ line }: Row): void => void release.run(line),

    /** Rows that still wait are rejected. */
    rejectWaiting: (): void => db.exec('UPDATE rejected SET waits = 0'),

    /** Rejected rows in the order of the file, in pages. */
    rejectedRows: () => readRejected(false),

    /** Rows that wait, in the order of the file, in pages. */
    waitingRows: () => readRejected(true),

    rejectedCount: () => count(false),

    waitingCount: () => count(true),

    /** A record that a dry run would have removed. */
    addRemoved: (key: string): void => void addRemoved.run(key),

    /** The records that are removed although no row says so; excepted ones are erased whole. */
    *keysToRemove(): Generator<{ readonly key: string; readonly isErased: boolean }> {
      for (const key of keysIn('SELECT key FROM missing ORDER BY key')) yield { key, isErased: false };
      for (const key of keysIn('SELECT key FROM excepted ORDER BY key')) yield { key, isErased: true };
    },

    keysMissing: () => keysIn('SELECT key FROM missing ORDER BY key'),

    keysRemoved: () => keysIn('SELECT key FROM removed ORDER BY key'),
  };
};

export type StagedRows = ReturnType<typeof stagedRows>;
