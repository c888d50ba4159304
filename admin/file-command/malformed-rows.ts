/**
 * Rows of a CSV with wrong quotes or a wrong number of cells may be any vehicle's. A vehicle is rejected when its
 * registration is in one, or in an invalid cell such as `AB12CDE (old)`: otherwise half a vehicle might be stored.
 */
import type { DatabaseSync } from 'node:sqlite';
import { lettersAndDigits } from '../../core/vehicles/registration.ts';
import type { RowText } from '../../csv/lines.ts';
import { parseRecords } from '../../csv/records.ts';
import { type Layout, rowsOf } from '../files/read-rows.ts';
import type { Row } from '../files/row.ts';
import { queryRows } from '../staging-database.ts';
import type { GroupResult } from './command-types.ts';
import type { RowGroup } from './row-groups.ts';

/** `owner`: the vehicle whose row it seems to be. `key` may also be a text that is no vehicle. */
const TABLES = `
  CREATE TABLE malformed (line INTEGER PRIMARY KEY, kind TEXT NOT NULL, reason TEXT);
  CREATE TABLE mentioned_vehicles (key TEXT, line INTEGER, owner TEXT, PRIMARY KEY (key, line)) WITHOUT ROWID;`;

/** A row that seems to be shifted rejects the vehicle that it names and the vehicle whose row it seems to be. */
const MENTION_OWNERS = `
  INSERT OR IGNORE INTO mentioned_vehicles
  SELECT owner, mentioned_vehicles.line, NULL FROM mentioned_vehicles JOIN rows USING (key) WHERE owner IS NOT NULL`;

/** `blank`: cells after the last column, perhaps a shift. `unreadable`: not CSV. `unnamed`: no valid registration. */
type Kind = 'wrong' | 'blank' | 'unreadable' | 'unnamed';

interface MalformedRow extends RowText {
  readonly key: string;
  readonly kind: Kind;
  readonly reason: string;
}

const kindOf = ({ cells }: Row, key: string | undefined): Kind | undefined => {
  if (cells === 'malformed') return 'wrong';
  if (cells === 'trailing-blanks') return 'blank';
  if (key !== undefined) return undefined;
  return cells === undefined ? 'unreadable' : 'unnamed';
};

/** Characters by which a text may be a registration of the file. A million of them have 140,000 beginnings, 10 MB. */
const BEGINNING = 4;

/** Lengths and beginnings of the registrations of a file. */
const knownForms = () => {
  const lengths = new Set<number>();
  const beginnings = new Set<string>();
  return {
    add: (key: string): void => {
      lengths.add(key.length);
      beginnings.add(key.slice(0, BEGINNING));
    },
    /** The parts of a text that may be keys, of those that begin before `end`. */
    *find(text: string, end = text.length): Generator<string> {
      for (let start = 0; start < end; start += 1) {
        for (const length of lengths) {
          const part = text.slice(start, start + length);
          if (part.length === length && beginnings.has(part.slice(0, BEGINNING))) yield part;
        }
      }
    },
  };
};

/** Collects malformed rows while the rows of a file are staged. */
export const malformedRows = (db: DatabaseSync) => {
  db.exec(TABLES);
  const keys = knownForms();
  const insert = db.prepare('INSERT INTO malformed VALUES (?, ?, ?)');
  const mention = db.prepare('INSERT OR IGNORE INTO mentioned_vehicles VALUES (?, ?, ?)');
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

    /** Finds the vehicles that are named, when all rows and stored vehicles have been added. */
    end: (layout: Layout): void => {
      for (const { line, kind, text, key } of queryRows<MalformedRow>(malformed)) {
        if (kind !== 'blank') {
          const given = kind === 'unnamed' ? rowsOf([{ line, text }], layout)[0]?.fields.registration : text;
          for (const part of keys.find(lettersAndDigits(String(given ?? '')))) mention.run(part, line, null);
        } else if (typeof layout === 'object') {
          const [{ cells } = { cells: [] }] = parseRecords([text], layout.delimiter);
          for (const part of findInCells(cells)) if (part !== key) mention.run(part, line, key);
        }
      }
      db.exec(MENTION_OWNERS);
    },
  };
};

const reasonOf = ({ line, kind, reason }: Omit<MalformedRow, 'key' | 'text'>): string =>
  kind !== 'blank'
    ? `rejected with line ${line}, which may be of this vehicle: ${reason}`
    : `line ${line} has more cells than the header names, and its cells seem to be shifted`;

/** The vehicles that malformed rows of a staged file name. */
export const mentionedVehicles = (db: DatabaseSync) => {
  const find = db.prepare(
    "SELECT line, kind, reason FROM mentioned_vehicles JOIN malformed USING (line) WHERE key = ? AND kind <> 'unreadable' ORDER BY line",
  );
  const isEmpty = db.prepare('SELECT 1 FROM mentioned_vehicles').get() === undefined;
  return {
    /** The result of a group. When a malformed row names its vehicle, all its rows are rejected. */
    rejectIfMentioned: <ImportRecord>(
      { key, rows }: RowGroup,
      result: GroupResult<ImportRecord>,
    ): GroupResult<ImportRecord> => {
      const [found] = isEmpty || key === undefined ? [] : queryRows<Omit<MalformedRow, 'key' | 'text'>>(find, key);
      if (found === undefined) return result;
      const reason = reasonOf(found);
      const own = new Map(result.rejected.map(({ row, reasons }) => [row, reasons]));
      return { rejected: rows.map((row) => ({ row, reasons: [...(own.get(row) ?? []), reason] })) };
    },
  };
};
