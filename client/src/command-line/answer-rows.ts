import { type Check, failureCells, type Lookups } from './checks.ts';
import type { ResultRow } from './earlier-result.ts';
import type { FleetFile, FleetRow } from './fleet-file.ts';

/** Characters. Longer cells are truncated: they are invalid either way. */
const MAX_REGISTRATION_LENGTH = 40;

export interface AnsweredRow extends ResultRow {
  /** The line of the input on which it begins. */
  readonly line: number;
  /** The cells of the input, as many as its header has. */
  readonly given: readonly string[];
}

export interface AnswerOptions {
  readonly lookups: Lookups;
  readonly check: Check;
  /** YYYY-MM-DD, by default today. */
  readonly date: string | undefined;
  /** Rows that are looked up at the same time: a multiple of the plan's bulk size. */
  readonly batchSize: number;
}

async function* inBatches(rows: AsyncIterable<FleetRow>, size: number): AsyncGenerator<FleetRow[]> {
  let batch: FleetRow[] = [];
  for await (const row of rows) {
    if (batch.push(row) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const answerBatch = async (
  rows: readonly FleetRow[],
  { header, columnIndex }: FleetFile,
  { lookups, check, date }: AnswerOptions,
): Promise<AnsweredRow[]> => {
  const registrationOf = ({ cells }: FleetRow) => (cells[columnIndex] ?? '').trim();
  const readable = rows.filter(({ error }) => error === undefined);
  const registrations = readable.map((row) => registrationOf(row).slice(0, MAX_REGISTRATION_LENGTH));
  const entries = await check.lookUp(lookups, registrations, date);
  if (entries.length !== registrations.length) throw new Error('There is not one answer for each registration.');
  const answers = entries.values();
  return rows.map((row) => {
    const cells = row.error === undefined ? check.cellsOf(answers.next().value) : failureCells(check, row.error);
    return {
      line: row.line,
      registration: registrationOf(row),
      given: header.map((_, at) => row.cells[at] ?? ''),
      cells,
    };
  });
};

/** Looks up the rows of a file, in order and in batches. */
export async function* answerRows(fleet: FleetFile, options: AnswerOptions): AsyncGenerator<AnsweredRow[]> {
  for await (const rows of inBatches(fleet.rows(), options.batchSize)) yield answerBatch(rows, fleet, options);
}
