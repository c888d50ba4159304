/**
 * Rows of a CSV with a wrong number of cells or wrong quotes: nobody knows whose they are. Every vehicle of the file whose
 * registration is anywhere in such a row is rejected with it: without that row half a vehicle might be stored.
 */
import type { DatabaseSync } from 'node:sqlite';
import { lettersAndDigits, MAX_LENGTH } from '../../../core/vehicles/registration.ts';
import type { Row } from '../files/row.ts';
import type { FileCommand, FileContext, GroupResult, RowGroup } from './file-command.ts';

/** `malformed` has rows, `named` every vehicle of the file that is in one, and other texts, which are no key of the file. */
const TABLES = `
  CREATE TABLE malformed (line INTEGER PRIMARY KEY, reason TEXT NOT NULL);
  CREATE TABLE named (key TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;`;

/** Bits of the Bloom filter: 16 MB, with which less than one of a hundred other texts passes in a file of a million vehicles. */
const FILTER_BITS = 27;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Keys of the file in memory that does not grow with it. What was added passes, and little else. */
const keyFilter = () => {
  const bits = new Uint32Array(2 ** FILTER_BITS / 32);
  const withCharacter = (hash: number, text: string, at: number) =>
    Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME) >>> 0;
  const bitOf = (hash: number) => hash >>> (32 - FILTER_BITS);
  return {
    add: (key: string): void => {
      let hash = FNV_OFFSET;
      for (let at = 0; at < key.length; at += 1) hash = withCharacter(hash, key, at);
      const bit = bitOf(hash);
      bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
    },
    /** The parts of a text that may be keys. */
    *find(text: string): Generator<string> {
      for (let start = 0; start < text.length; start += 1) {
        let hash = FNV_OFFSET;
        for (let at = start; at < text.length && at < start + MAX_LENGTH; at += 1) {
          hash = withCharacter(hash, text, at);
          const bit = bitOf(hash);
          if (((bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0) yield text.slice(start, at + 1);
        }
      }
    },
  };
};

/** Collects malformed rows while the rows of a file are staged. */
export const malformedRows = <Entry>(db: DatabaseSync, command: FileCommand<Entry>, file: FileContext) => {
  db.exec(TABLES);
  const keys = keyFilter();
  const insert = db.prepare('INSERT INTO malformed VALUES (?, ?)');
  const name = db.prepare('INSERT OR IGNORE INTO named VALUES (?, ?)');
  const isImportOfVehicles = command.verb === 'import' && command.noun !== 'content';
  const context = { ...file, started: file.now(), claims: { claim: () => undefined, lineOf: () => undefined } };

  /** Why a row is malformed. One with more cells, all blank, is when it cannot be read: its cells may be shifted. */
  const reasonOf = (row: Row, key: string | undefined): string | undefined => {
    if (row.cells === 'wrong') return row.issues[0];
    if (row.cells !== 'more') return undefined;
    const { rejected } = command.read({ key, rows: [row], firstLine: row.line, isPart: false }, context);
    return rejected[0]?.reasons[0];
  };

  return {
    add: (row: Row, key: string | undefined): void => {
      if (!isImportOfVehicles) return;
      if (key !== undefined) keys.add(key);
      const reason = reasonOf(row, key);
      if (reason !== undefined) insert.run(row.line, reason);
    },

    /** Finds the vehicles that are named, once all rows of the file are staged. */
    end: (): void => {
      for (const row of db.prepare('SELECT * FROM malformed JOIN rows USING (line) ORDER BY line').iterate()) {
        const reason = `rejected with line ${row.line}, which may be of this vehicle: ${row.reason}`;
        for (const key of keys.find(lettersAndDigits(String(row.text)))) name.run(key, reason);
      }
    },
  };
};

/** The vehicles that malformed rows of a staged file name. */
export const namedVehicles = (db: DatabaseSync) => {
  const find = db.prepare('SELECT reason FROM named WHERE key = ?');
  const isEmpty = db.prepare('SELECT 1 FROM named').get() === undefined;
  return {
    /** The result of a group, of which all rows are rejected when a malformed row names its vehicle. */
    reject: <Entry>({ key, rows }: RowGroup, result: GroupResult<Entry>): GroupResult<Entry> => {
      const found = isEmpty || key === undefined ? undefined : find.get(key);
      if (found === undefined) return result;
      const own = new Map(result.rejected.map(({ row, reasons }) => [row, reasons]));
      return { rejected: rows.map((row) => ({ row, reasons: [...(own.get(row) ?? []), String(found.reason)] })) };
    },
  };
};
