import { createHash } from 'node:crypto';
import { stringify } from 'csv-stringify/sync';
import type { VehicleVerification } from '../index.ts';
import { type Check, complianceCheck, failureCells, insuranceCheck } from './checks.ts';
import { type FleetFile, openFleet } from './fleet-file.ts';
import { progressBar } from './progress-bar.ts';
import { openResult } from './result-file.ts';

export interface CheckArguments {
  readonly source: string;
  readonly out: string;
  readonly column: string | undefined;
  readonly date: string | undefined;
  readonly isCompliance: boolean;
  readonly baseUrl: string;
}

/** Concurrent bulk requests. Progress is stored when all of them are complete. */
export const CONCURRENCY = 4;
/** Characters. Longer cells are truncated: they are invalid either way. */
const MAX_REGISTRATION_LENGTH = 40;

async function* inBatches(rows: AsyncIterable<string[]>, size: number): AsyncGenerator<string[][]> {
  let batch: string[][] = [];
  for await (const row of rows) {
    if (batch.push(row) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** CSV with the delimiter and line ends of the input. Formulas are escaped, because spreadsheet programs would run them. */
const csvText = (rows: readonly unknown[][], { delimiter, lineEnd }: FleetFile): string =>
  stringify(rows as unknown[][], {
    delimiter,
    record_delimiter: lineEnd,
    // Without this, only cells with the file's own line end are quoted.
    quoted_match: /[\r\n]/,
    escape_formulas: true,
    cast: { boolean: String },
  });

/** Names of the added columns, different from those of the input. */
const addedNames = (names: readonly string[], header: readonly string[]): string[] =>
  names.map((name) => (header.includes(name) ? `${name}_2` : name));

/** An error after which the same command can continue. `cause` is the error. */
export class Interrupted extends Error {
  /** Number of rows that are done. */
  readonly rows: number;

  constructor(rows: number, cause: unknown) {
    super('interrupted', { cause });
    this.rows = rows;
  }
}

/** The rows with the added cells, and the number of rows without an answer. */
const answerRows = async (
  rows: readonly string[][],
  { header, column }: FleetFile,
  check: Check,
  signal: AbortSignal,
) => {
  // With more cells than the header, the registration may be in another column.
  const isTooLong = (row: readonly string[]) => row.slice(header.length).some((cell) => cell.trim() !== '');
  const registrations = rows
    .filter((row) => !isTooLong(row))
    .map((row) => (row[column] ?? '').trim().slice(0, MAX_REGISTRATION_LENGTH));
  const answers = (await check.lookUp(registrations, signal)).values();
  const tooLong = failureCells(check, 'TOO_MANY_CELLS');
  const lines = rows.map((row) => [
    ...header.map((_, index) => row[index] ?? ''),
    ...(isTooLong(row) ? tooLong : (answers.next().value ?? tooLong)),
  ]);
  return { lines, failed: lines.filter((line) => line.at(-1) !== '').length };
};

/**
 * Checks a CSV file and writes the result. Continues an earlier check of the same file with the same arguments.
 * @throws CannotRun when a file cannot be used or the input changes
 * @throws ApiProblem or ConnectionError before the first row, Interrupted afterwards
 */
export const checkFile = async (
  client: VehicleVerification,
  { source, out, column, date, isCompliance, baseUrl }: CheckArguments,
  signal: AbortSignal,
): Promise<{ readonly rows: number; readonly failed: number }> => {
  const fleet = await openFleet(source, column);
  const { limits, key } = await client.usage({ signal });
  const check = isCompliance ? complianceCheck(client) : insuranceCheck(client, date);
  const parameters = JSON.stringify([fleet.hash, fleet.column, date, check.names, key.environment]);
  const identity = createHash('sha256').update(parameters).digest('hex');
  const result = await openResult(out, { input: fleet.stats, identity, baseUrl });
  const bar = progressBar(process.stderr, fleet.rowCount, result.progress().rows);
  const append = async (text: string, rows: number, failed: number) => {
    await fleet.assertUnchanged();
    await result.append(text, rows, failed);
    bar.show(result.progress().rows, result.progress().failed);
  };
  try {
    const header = [...fleet.header, ...addedNames(check.names, fleet.header)];
    if (result.isNew) await append(`${fleet.hasMark ? '\ufeff' : ''}${csvText([header], fleet)}`, 0, 0);
    for await (const rows of inBatches(fleet.rows(result.progress().rows), limits.registrationsPerBulk * CONCURRENCY)) {
      const { lines, failed } = await answerRows(rows, fleet, check, signal);
      await append(csvText(lines, fleet), rows.length, failed);
    }
    await fleet.assertUnchanged();
    await result.finish();
    return result.progress();
  } catch (error) {
    // First, because a changed input may look like invalid CSV, and its check cannot be continued.
    await fleet.assertUnchanged();
    throw new Interrupted(result.progress().rows, error);
  } finally {
    bar.clear();
    await result.close();
  }
};
