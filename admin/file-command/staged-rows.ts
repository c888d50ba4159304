import type { DatabaseSync } from 'node:sqlite';
import type { RowText } from '../../csv/lines.ts';
import { type Layout, rowsOf } from '../files/read-rows.ts';
import type { RejectedRow, Row } from '../files/row.ts';
import { queryRows } from '../staging-database.ts';
import { type RowGroup, rowGroups, type StagedRow } from './row-groups.ts';

/** Which line of a file has claimed a key first, such as a slug. */
export interface Claims {
  /** Claims the key for a line. Returns the earlier line that has it, if one has. */
  readonly claim: (key: string, line: number) => number | undefined;
  readonly lineOf: (key: string) => number | undefined;
}

/** Rows that are parsed at a time, and their characters: a parsed row can take 20 times the memory of its text. */
const PAGE_ROWS = 500;
const PAGE_CHARACTERS = 4_000_000;

/** Pages of rows, each of one row or more. */
function* pagesOf<R extends RowText>(rows: Iterable<R>): Generator<R[]> {
  let page: R[] = [];
  let characters = 0;
  for (const row of rows) {
    page.push(row);
    characters += row.text.length;
    if (page.length < PAGE_ROWS && characters < PAGE_CHARACTERS) continue;
    yield page;
    [page, characters] = [[], 0];
  }
  if (page.length > 0) yield page;
}

/** `missing`, `damaged`: what a complete file lacks. `removed`: by a dry run. `after`: the claim of a row that must come before. */
const TABLES = `
  CREATE TABLE rows (line INTEGER PRIMARY KEY, key TEXT NOT NULL, text TEXT NOT NULL);
  CREATE TABLE excepted (key TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE rejected (line INTEGER PRIMARY KEY, reasons TEXT NOT NULL, after TEXT);
  CREATE TABLE claims (key TEXT PRIMARY KEY, line INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE moved_slugs (slug TEXT PRIMARY KEY, id TEXT) WITHOUT ROWID;
  CREATE TABLE missing (key TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE damaged (key TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE removed (key TEXT PRIMARY KEY) WITHOUT ROWID;`;

/** `before`: the line of the row that must come before, if the file has it. */
interface RejectedText extends RowText {
  readonly reasons: string;
  readonly before: number | null;
}

const reasonsOf = ({ reasons = '[]', before = null }: Partial<RejectedText> = {}): string[] => {
  const all: string[] = JSON.parse(reasons);
  return before === null ? all : all.map((reason) => `${reason}; put line ${before} before this one`);
};

const claimsIn = (db: DatabaseSync): Claims => {
  const insert = db.prepare('INSERT OR IGNORE INTO claims VALUES (?, ?)');
  const find = db.prepare('SELECT line FROM claims WHERE key = ?');
  const lineOf = (key: string) => find.get(key)?.line as number | undefined;
  return {
    claim: (key, line) => {
      insert.run(key, line);
      const owner = lineOf(key);
      return owner === line ? undefined : owner;
    },
    lineOf,
  };
};

/** The slugs that a dry run would have moved: the id of each one's item, null for a free one. */
const movedSlugsIn = (db: DatabaseSync) => {
  const insert = db.prepare('INSERT OR REPLACE INTO moved_slugs VALUES (?, ?)');
  const find = db.prepare('SELECT id FROM moved_slugs WHERE slug = ?');
  return {
    ownerOf: (slug: string) => find.get(slug)?.id as string | null | undefined,
    move: (slug: string, id: string | null) => void insert.run(slug, id),
  };
};

/** The rows of a file, and what is found while they are worked through. */
export const stagedRows = (db: DatabaseSync) => {
  db.exec(TABLES);
  const insert = db.prepare('INSERT INTO rows VALUES (?, ?, ?)');
  const insertExcepted = db.prepare('INSERT OR IGNORE INTO excepted VALUES (?)');
  const isExcepted = db.prepare('SELECT 1 FROM excepted WHERE key = ?');
  const insertRejected = db.prepare('INSERT OR REPLACE INTO rejected VALUES (?, ?, ?)');
  const insertRemoved = db.prepare('INSERT OR IGNORE INTO removed VALUES (?)');
  const findRejected = db.prepare(
    `SELECT rows.line, text, reasons, claims.line AS before FROM rejected JOIN rows USING (line)
     LEFT JOIN claims ON claims.key = after WHERE rows.line > ? ORDER BY rows.line LIMIT ?`,
  );
  /** `total` counts the staged rows, `excepted` the ones that were left out. */
  const facts = { layout: 'txt' as Layout, total: 0, excepted: 0 };
  let hasExceptions = false;

  const count = (rows: string): number => Number(db.prepare(`SELECT count(*) AS count FROM ${rows}`).get()?.count);

  function* rejectedPages(): Generator<RejectedRow[]> {
    for (let line = 0; ; ) {
      const [page] = pagesOf(queryRows<RejectedText>(findRejected, line, PAGE_ROWS));
      if (page === undefined) return;
      line = page.at(-1)?.line ?? line;
      yield rowsOf(page, facts.layout).map((row, index) => ({
        row,
        reasons: reasonsOf(page[index]),
      }));
    }
  }

  function* keys(table: 'missing' | 'excepted' | 'removed' | 'damaged'): Generator<string> {
    for (const { key } of queryRows<{ key: string }>(db.prepare(`SELECT key FROM ${table} ORDER BY key`))) yield key;
  }

  return {
    db,
    facts,
    claims: claimsIn(db),
    movedSlugs: movedSlugsIn(db),

    /** Called before any row is added. */
    except: (key: string): void => {
      insertExcepted.run(key);
      hasExceptions = true;
    },

    /** `key` is empty for a row without one. An excepted row is left out. */
    add: ({ line, text }: Row, key: string): void => {
      if (hasExceptions && isExcepted.get(key) !== undefined) {
        facts.excepted += 1;
        return;
      }
      insert.run(line, key, text);
      facts.total += 1;
    },

    /** The groups of rows, by key, as each page of rows completes them. Other statements may run meanwhile. */
    *groups(): Generator<RowGroup[]> {
      const groups = rowGroups();
      // The plus keeps SQLite from reading the rows one by one in the order of an index, which takes longer.
      const sorted = queryRows<StagedRow>(db.prepare('SELECT * FROM rows ORDER BY +key, line'));
      for (const page of pagesOf(sorted)) yield groups.completedBy(page, facts.layout);
      yield groups.last();
    },

    /** `after`: the claim of a row that must come before this one. */
    reject: (line: number, reasons: readonly string[], after?: string): void => {
      insertRejected.run(line, JSON.stringify(reasons), after ?? null);
    },
    rejectedCount: () => count('rejected'),
    /** In the order of the file, in pages. */
    rejectedRows: rejectedPages,

    /** The records that are removed although no row says so; excepted ones are erased whole. */
    *keysToRemove(): Generator<{ readonly key: string; readonly isErased: boolean }> {
      for (const key of keys('missing')) yield { key, isErased: false };
      for (const key of keys('excepted')) yield { key, isErased: true };
    },
    /** The keys in a table, in their order. */
    keys,
    /** Rows of a table, or of what follows FROM. */
    count,
    addRemoved: (key: string): void => void insertRemoved.run(key),
  };
};

export type StagedRows = ReturnType<typeof stagedRows>;
