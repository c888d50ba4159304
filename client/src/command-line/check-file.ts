import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import type { VehicleVerification } from '../index.ts';
import type { CheckArguments } from './arguments.ts';
import { CHANGE_NAMES, changesOf, readAnswers } from './changes.ts';
import { type Check, complianceCheck, failureCells, insuranceCheck } from './checks.ts';
import { delimiterLine } from './csv-file/read-csv.ts';
import { isResult, openEarlierResult } from './earlier-result.ts';
import { ENDING_NAMES, endingOf } from './ending.ts';
import { CannotRun } from './failure.ts';
import { type FleetFile, type FleetRow, findColumn, openFleet } from './fleet-file.ts';
import { type List, readList } from './list.ts';
import { assertReplaceable, type Replaceable } from './output-file.ts';
import type { ProgressBar } from './progress-bar.ts';
import { openResult, type Progress } from './result-file.ts';
import { countRows, shortSummary } from './summary.ts';

/** Concurrent bulk requests. Progress is stored when all of them are complete. */
export const CONCURRENCY = 4;
/** Characters. Longer cells are truncated: they are invalid either way. */
const MAX_REGISTRATION_LENGTH = 40;

async function* inBatches(rows: AsyncIterable<FleetRow>, size: number): AsyncGenerator<FleetRow[]> {
  let batch: FleetRow[] = [];
  for await (const row of rows) {
    if (batch.push(row) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** CSV with the delimiter and line ends of the input. Formulas are escaped, because spreadsheet programs would run them. */
const csvText = (rows: readonly (readonly string[])[], { delimiter, lineEnd }: FleetFile): string =>
  stringify(rows as string[][], {
    delimiter,
    record_delimiter: lineEnd,
    // Without this, only cells with the file's own line end are quoted.
    quoted_match: /[\r\n]/,
    escape_formulas: true,
  });

/** The first line of a file that the command writes. */
const headerText = (names: readonly string[], fleet: FleetFile): string =>
  `${fleet.hasMark ? '\ufeff' : ''}${delimiterLine(fleet.delimiter, fleet.lineEnd)}${csvText([names], fleet)}`;

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

/** What a check has found. */
export interface CheckReport extends Progress {
  readonly check: Check;
  readonly changes: List | undefined;
  readonly ending: List | undefined;
}

interface CheckOptions {
  readonly client: VehicleVerification;
  readonly baseUrl: string;
  readonly bar: ProgressBar;
  readonly signal: AbortSignal;
}

/** The answers of the earlier result with which this check is compared; undefined without one. */
const readPrevious = async ({ previous, out }: CheckArguments, check: Check, column: string) => {
  // A nightly job compares with the result that it replaces; the first time there is none.
  const isFirst = previous !== undefined && resolve(previous) === resolve(out) && !existsSync(out);
  if (previous === undefined || isFirst) return undefined;
  return readAnswers(previous, check, await openEarlierResult(previous, check, column));
};

/** The lists of a check, each with the path of its file, if it has one. */
const listsOf = ({ previous, changesFile, ending, endingFile }: CheckArguments) => ({
  changes: { path: changesFile, names: CHANGE_NAMES, title: `Changes since ${previous}` },
  ending: { path: endingFile, names: ENDING_NAMES, title: `Ends from ${ending?.from} to ${ending?.to}` },
});

/** The rows with the added cells. */
const answerRows = async (
  rows: readonly FleetRow[],
  { header, column }: FleetFile,
  check: Check,
  lookUp: (registrations: string[]) => ReturnType<Check['lookUp']>,
) => {
  const registrations = rows
    .filter(({ error }) => error === undefined)
    .map(({ cells }) => (cells[column] ?? '').trim().slice(0, MAX_REGISTRATION_LENGTH));
  const answers = (await lookUp(registrations)).values();
  return rows.map(({ cells, error }) => {
    const added = error === undefined ? answers.next().value : failureCells(check, error);
    if (added === undefined) throw new Error('The service has sent fewer answers than registrations.');
    return { given: header.map((_, index) => cells[index] ?? ''), added };
  });
};

/**
 * Checks a CSV file and writes the result. Continues an earlier check of the same file with the same arguments.
 * @throws CannotRun when a file cannot be used or the input changes
 * @throws ApiProblem or ConnectionError before the first row, Interrupted afterwards
 */
export const checkFile = async (
  args: CheckArguments,
  { client, baseUrl, bar, signal }: CheckOptions,
): Promise<CheckReport> => {
  const { source, out, date, ending } = args;
  const fleet = await openFleet(source, (header) => findColumn(source, header, args.column), args);
  if (fleet.rowCount === 0) throw new CannotRun(`${source} has no rows below its header.`);
  const check = args.isCompliance ? complianceCheck : insuranceCheck;
  const column = fleet.header[fleet.column] ?? '';
  const previous = await readPrevious(args, check, column);
  const replaceable = (isOwn: Replaceable['isOwn']) => ({ isOwn, input: fleet.stats, force: args.force });
  const lists = listsOf(args);
  const isList = (names: readonly string[]) => (header: readonly string[]) => `${header}` === `${names}`;
  await assertReplaceable(out, replaceable(isResult));
  for (const { path, names } of Object.values(lists))
    if (path) await assertReplaceable(path, replaceable(isList(names)));

  const { limits, key } = await client.usage({ signal });
  if (ending && !key.scopes.includes('vehicles:read')) {
    throw new CannotRun('--ending-within asks about insurance, for which the key needs the scope vehicles:read.');
  }
  const batchSize = limits.registrationsPerBulk * CONCURRENCY;
  const parameters = JSON.stringify([fleet.hash, fleet.column, date, check.names, key.environment]);
  const identity = createHash('sha256').update(parameters).digest('hex');
  const result = await openResult(out, { input: fleet.stats, identity, baseUrl });
  const show = ({ rows, counts }: Progress) => bar.show(rows, fleet.rowCount, shortSummary(check, counts));
  const append = async (text: string, progress: Progress) => {
    await fleet.assertUnchanged();
    await result.append(text, progress);
    show(progress);
  };
  const list = (rows: AsyncIterable<string[]>, options: (typeof lists)[keyof typeof lists]) => {
    const { names } = options;
    const texts = { header: headerText(names, fleet), toText: (row: string[]) => csvText([row], fleet) };
    return readList(rows, { ...options, ...texts, replaceable: replaceable(isList(names)) });
  };
  try {
    show(result.progress());
    const header = [...fleet.header, ...addedNames(check.names, fleet.header)];
    if (result.isNew) await append(headerText(header, fleet), result.progress());
    for await (const rows of inBatches(fleet.rows(result.progress().rows), batchSize)) {
      const answers = await answerRows(rows, fleet, check, (all) => check.lookUp(client, all, { date, signal }));
      const lines = answers.map(({ given, added }) => [...given, ...added]);
      const added = answers.map((answer) => answer.added);
      const before = result.progress();
      const counts = countRows(before.counts, check, added);
      await append(csvText(lines, fleet), { rows: before.rows + rows.length, counts });
    }
    // Read from the result, which has the rows of earlier runs too.
    const rows = () => openEarlierResult(result.part, check, column);
    const asked = ending && { ...ending, client, check, batchSize, signal };
    const changes = previous && (await list(changesOf(check, previous, await rows()), lists.changes));
    const ends = asked && (await list(endingOf(await rows(), asked), lists.ending));
    await fleet.assertUnchanged();
    await assertReplaceable(out, replaceable(isResult));
    await result.finish();
    return { ...result.progress(), check, changes, ending: ends };
  } catch (error) {
    // First, because a changed input may look like invalid CSV, and its check cannot be continued.
    await fleet.assertUnchanged();
    throw new Interrupted(result.progress().rows, error);
  } finally {
    bar.clear();
    await result.close();
  }
};
