import type { CommandContext } from '../deployment/deployment.ts';
import type { RejectedRow, Row, RowRules } from '../files/rows.ts';
import type { FileFormat } from '../files/source-file.ts';
import type { Counts, RecordOutcome } from './counts.ts';
import type { FileOptions } from './file-options.ts';
import type { RecordChange } from './record-changes.ts';
import type { RecordForm } from './record-form.ts';
import type { StagedRows } from './staging.ts';

/** The kinds of data that files have. */
export type DataKind = 'vehicles' | 'compliance' | 'content';

/** What decides how rows are read. */
export interface ReadOptions extends Pick<FileOptions, 'dates' | 'ifNewer' | 'restore'> {
  readonly format: FileFormat;
  /** When the command was started. */
  readonly now: Date;
}

/** What the rows of a vehicle say. Without a change all of them are rejected. */
export interface ReadRows {
  readonly change?: RecordChange;
  readonly rejected: readonly RejectedRow[];
  /** Rows that say what an earlier one says. */
  readonly repeated: number;
}

/** How the rows of a vehicle become its record. */
export interface RecordRules {
  readonly form: RecordForm;
  readonly read: (rows: readonly Row[], registration: string, options: ReadOptions) => ReadRows;
}

/** What staged rows are written with. */
export interface RowsWriting {
  readonly staged: StagedRows;
  readonly counts: Counts;
  readonly table: string;
  readonly now: Date;
  readonly dryRun: boolean;
  readonly onRows: () => void;
}

/** A kind of file: what its rows have, and what a command does with them. */
export interface FileKind extends RowRules {
  /** The name of the command, on the command line too. */
  readonly verb: 'import' | 'remove' | 'erase';
  /** The kind of data; also the id of its table. */
  readonly noun: DataKind;
  /** A clause for the question before it changes production data. */
  readonly consequence: string;
  readonly formats: readonly FileFormat[];
  /** The possible outcomes of a record, the intended one first. */
  readonly outcomes: readonly [RecordOutcome, ...RecordOutcome[]];
  /** A sentence after the result. */
  readonly note?: string;
  /** How its rows are written: as records of vehicles, or in another way. */
  readonly writing: RecordRules | ((writing: RowsWriting, context: CommandContext) => Promise<void>);
}

/** Reads rows that are one whole record each. Equal ones are one; otherwise nobody knows which is right. */
export const readWholeRecord = (
  rows: readonly Row[],
  read: (row: Row) => { readonly change: RecordChange } | { readonly reasons: readonly string[] },
): ReadRows => {
  const results = rows.map((row) => ({ row, ...(row.issue === undefined ? read(row) : { reasons: [row.issue] }) }));
  const [first, ...others] = results;
  const equal = (one: (typeof results)[number]) =>
    first && 'change' in first && 'change' in one && JSON.stringify(one.change) === JSON.stringify(first.change);
  if (first && 'change' in first && others.every(equal)) {
    return { change: first.change, rejected: [], repeated: others.length };
  }
  const rejected = results.map((result, index) => {
    const other = results[index === 0 ? 1 : 0]?.row.line;
    const contradiction = `this vehicle is on line ${other} too, with other values; leave one of them`;
    return {
      row: result.row,
      reasons: [...('reasons' in result ? result.reasons : []), ...(results.length > 1 ? [contradiction] : [])],
    };
  });
  return { rejected, repeated: 0 };
};
