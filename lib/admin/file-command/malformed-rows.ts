/**
 * Rows of a CSV with a wrong number of cells or wrong quotes: nobody knows whose they are. Every vehicle of the file whose
 * registration is anywhere in such a row is rejected with it: without that row half a vehicle might be stored. So is every vehicle
 * whose registration is in a cell of registrations that is none, such as `AB12CDE (old)`.
 */
import type { DatabaseSync } from 'node:sqlite';
import { parseRecords } from '../../../client/src/command-line/csv-file/records.ts';
import { lettersAndDigits, MAX_LENGTH } from '../../../core/vehicles/registration.ts';
import { type Layout, rowsOf } from '../files/read-rows.ts';
import type { Row, RowText } from '../files/row.ts';
import type { GroupResult, RowGroup } from './file-command.ts';

/**
 * `malformed` has rows. `named` has vehicles that are in one, with the vehicle whose row it seems to be, and some texts of no vehicle;
 * without a reason a vehicle is not rejected.
 */
const TABLES = `
  CREATE TABLE malformed (line INTEGER PRIMARY KEY, kind TEXT NOT NULL, reason TEXT);
  CREATE TABLE named (key TEXT, line INTEGER, owner TEXT, reason TEXT, PRIMARY KEY (key, line)) WITHOUT ROWID;`;

/** A vehicle that is named by a row that seems to be shifted is rejected, and the vehicle whose row it seems to be is too. */
const NAME_OWNERS = `
  INSERT OR IGNORE INTO named
  SELECT owner, named.line, NULL, reason FROM named JOIN rows USING (key) WHERE owner IS NOT NULL`;

/**
 * `wrong` quotes or number of cells; `blank` cells after the last column, which may hide a shift; no CSV and `unreadable`, so that
 * only stored records may be what it is about; `unnamed`, readable but for its registration.
 */
type Kind = 'wrong' | 'blank' | 'unreadable' | 'unnamed';

interface MalformedRow extends RowText {
  readonly key: string;
  readonly kind: Kind;
  readonly reason: string;
}

const kindOf = ({ cells, issues }: Row, key: string | undefined): Kind | undefined => {
  if (cells === 'wrong') return 'wrong';
  if (cells === 'more') return 'blank';
  if (key !== undefined) return undefined;
  return cells === undefined && issues.length > 0 ? 'unreadable' : 'unnamed';
};

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
    /** The parts of a text that may be keys, of those that begin before `end`. */
    *find(text: string, end = text.length): Generator<string> {
      for (let start = 0; start < end; start += 1) {
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
export const malformedRows = (db: DatabaseSync) => {
  db.exec(TABLES);
  const keys = keyFilter();
  const insert = db.prepare('INSERT INTO malformed VALUES (?, ?, ?)');
  const name = db.prepare('INSERT OR IGNORE INTO named VALUES (?, ?, ?, ?)');
  const malformed = db.prepare('SELECT * FROM malformed JOIN rows USING (line) ORDER BY line');

  /** A registration that was shifted is in a cell of its own, or in two when it is what was split. */
  const findInCells = (cells: readonly string[]): string[] =>
    cells
      .flatMap((cell, at) => [cell, `${cell}${cells[at + 1] ?? ''}`])
      .map(lettersAndDigits)
      .filter((text) => [...keys.find(text, 1)].includes(text));

  return {
    /** A row with the key of its vehicle; without one it may be of any vehicle. */
    add: (row: Row, key: string | undefined): void => {
      if (key !== undefined) keys.add(key);
      const kind = kindOf(row, key);
      if (kind !== undefined) insert.run(row.line, kind, row.issues[0] ?? 'its registration is invalid');
    },

    /** A stored vehicle, which a malformed row may be about too. */
    addStored: (key: string): void => keys.add(key),

    /** Finds the vehicles that are named, once all rows of the file are staged, and after stored vehicles were added. */
    end: (layout: Layout): void => {
      for (const { line, kind, reason, text, key } of malformed.iterate() as Iterable<MalformedRow>) {
        if (kind !== 'blank') {
          const given = kind === 'unnamed' ? rowsOf([{ line, text }], layout)[0]?.fields.registration : text;
          const whole =
            typeof layout === 'object' ? `rejected with line ${line}, which may be of this vehicle: ${reason}` : null;
          for (const part of keys.find(lettersAndDigits(String(given ?? '')))) name.run(part, line, null, whole);
        } else if (typeof layout === 'object') {
          const shifted = `line ${line} has more cells than the header names, and its cells seem to be shifted`;
          const [{ cells } = { cells: [] }] = parseRecords([text], layout.delimiter);
          for (const part of findInCells(cells)) if (part !== key) name.run(part, line, key, shifted);
        }
      }
      db.exec(NAME_OWNERS);
    },
  };
};

export type MalformedRows = ReturnType<typeof malformedRows>;

/** The vehicles that malformed rows of a staged file name. */
export const namedVehicles = (db: DatabaseSync) => {
  const find = db.prepare('SELECT reason FROM named WHERE key = ? AND reason IS NOT NULL ORDER BY line');
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
