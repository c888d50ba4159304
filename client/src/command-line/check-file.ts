import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { VehicleVerification } from '../index.ts';
import { type AnswerOptions, answerRows } from './answer-rows.ts';
import type { CheckArguments } from './arguments.ts';
import { CHANGE_NAMES, listChanges, readAnswers } from './changes.ts';
import { type Check, complianceCheck, insuranceCheck } from './checks.ts';
import { type CsvFormat, csvText, headerText } from './csv-text.ts';
import { isResult, openEarlierResult, type ResultRow } from './earlier-result.ts';
import { ENDING_NAMES, listEnding } from './ending.ts';
import { CannotRun } from './failure.ts';
import { type FleetFile, findColumn, openFleet } from './fleet-file.ts';
import type { List } from './list.ts';
import { assertReplaceable, type OutputFile, openOutputFile, type Replaceable } from './output-file.ts';
import type { ProgressBar } from './progress-bar.ts';
import { type Counts, countRow, noCounts, shortSummary } from './summary.ts';

/** Concurrent bulk requests. */
export const CONCURRENCY = 4;

/** What a check has found. */
export interface CheckReport {
  readonly check: Check;
  readonly counts: Counts;
  readonly changes: List | undefined;
  readonly ending: List | undefined;
}

interface CheckOptions {
  readonly client: VehicleVerification;
  readonly bar: ProgressBar;
  readonly signal: AbortSignal;
  /** Prints what was found. */
  readonly print: (report: CheckReport) => Promise<void>;
}

/** SHA-256 of a file; undefined when it cannot be read. */
const hashOf = async (path: string): Promise<string | undefined> => {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
};

/** Opens the input. It is read several times and has to stay the same: its time and size may, while its content changes. */
const openInput = async (args: CheckArguments) => {
  const { source } = args;
  const hash = await hashOf(source);
  const fleet = await openFleet(source, (header) => findColumn(source, header, args.column), args);
  if (fleet.rowCount === 0) throw new CannotRun(`${source} has no rows below its header.`);
  const assertUnchanged = async (): Promise<void> => {
    if ((await hashOf(source)) === hash) return;
    throw new CannotRun(`${source} has changed during the check: run the same command again.`);
  };
  return { fleet, assertUnchanged };
};

/** The answers of the earlier result with which this check is compared; undefined without one. */
const readPrevious = async ({ previous, out }: CheckArguments, check: Check, { header, column }: FleetFile) => {
  // A nightly job compares with the result that it replaces; the first time there is none.
  const isFirst = previous !== undefined && resolve(previous) === resolve(out) && !existsSync(out);
  if (previous === undefined || isFirst) return undefined;
  return readAnswers(previous, check, await openEarlierResult(previous, check, header[column] ?? ''));
};

/** The number of rows that are asked at the same time. @throws CannotRun when the key may not ask */
const readBatchSize = async ({ ending }: CheckArguments, { client, signal }: CheckOptions): Promise<number> => {
  const { limits, key } = await client.usage({ signal });
  if (ending && !key.scopes.includes('vehicles:read')) {
    throw new CannotRun('--ending-within asks about insurance, for which the key needs the scope vehicles:read.');
  }
  return limits.registrationsPerBulk * CONCURRENCY;
};

const isList = (names: readonly string[]) => (header: readonly string[]) => `${header}` === `${names}`;

/** The files that a check replaces. @throws CannotRun when it must not replace one of them */
const findTargets = async (args: CheckArguments, { stats }: FleetFile) => {
  const target = async (path: string, isOwn: Replaceable['isOwn']): Promise<Replaceable> => {
    const replaceable = { path, isOwn, input: stats, force: args.force };
    await assertReplaceable(replaceable);
    return replaceable;
  };
  return {
    result: await target(args.out, isResult),
    changes: args.changesFile === undefined ? undefined : await target(args.changesFile, isList(CHANGE_NAMES)),
    ending: args.endingFile === undefined ? undefined : await target(args.endingFile, isList(ENDING_NAMES)),
  };
};

/** Names of the added columns, different from those of the input. */
const addedNames = (names: readonly string[], header: readonly string[]): string[] =>
  names.map((name) => (header.includes(name) ? `${name}_2` : name));

/** Asks for every row, writes it to the result, and passes it on. */
const writeRows = async (
  result: OutputFile,
  fleet: FleetFile,
  asked: AnswerOptions,
  bar: ProgressBar,
  use: (row: ResultRow) => void,
): Promise<Counts> => {
  const { check } = asked;
  const counts = noCounts();
  const show = () => bar.show(counts.rows, fleet.rowCount, shortSummary(check, counts));
  show();
  await result.write(headerText([...fleet.header, ...addedNames(check.names, fleet.header)], fleet));
  for await (const rows of answerRows(fleet, asked)) {
    const lines = rows.map(({ given, cells }) => [...given, ...cells]);
    await result.write(csvText(lines, fleet));
    for (const row of rows) {
      countRow(counts, check, row.cells);
      use(row);
    }
    show();
  }
  return counts;
};

/** Writes a list to its file, if it has one. */
const writeList = async ({ names, rows, file: target }: List, format: CsvFormat): Promise<void> => {
  if (target === undefined) return;
  const file = await openOutputFile(target);
  try {
    await file.write(headerText(names, format) + csvText(rows, format));
    await file.replace();
  } finally {
    await file.discard();
  }
};

/**
 * Checks a CSV file, and writes the result and the lists, each of them whole. The result takes its place last: an alert may be
 * repeated, but not lost.
 * @throws CannotRun when a file cannot be used or the input changes
 * @throws ApiProblem, ConnectionError, or the signal's reason
 */
export const checkFile = async (args: CheckArguments, options: CheckOptions): Promise<CheckReport> => {
  const { client, bar, signal, print } = options;
  const { date, ending } = args;
  const check = args.isCompliance ? complianceCheck : insuranceCheck;
  const { fleet, assertUnchanged } = await openInput(args);
  const answers = await readPrevious(args, check, fleet);
  const targets = await findTargets(args, fleet);
  const asked = { client, check, date, batchSize: await readBatchSize(args, options), signal };
  const changed = answers && listChanges(check, answers);
  const ends = ending && listEnding({ ...asked, ...ending });
  const result = await openOutputFile(targets.result);
  try {
    const counts = await writeRows(result, fleet, asked, bar, (row) => {
      changed?.add(row);
      ends?.add(row);
    });
    const changes = changed && {
      title: `Changes since ${args.previous}`,
      names: CHANGE_NAMES,
      rows: changed.finish(),
      file: targets.changes,
    };
    const endingList = ends && {
      title: `Ends from ${ending.from} to ${ending.to}`,
      names: ENDING_NAMES,
      rows: await ends.finish(),
      file: targets.ending,
    };
    bar.clear();
    await assertUnchanged();
    signal.throwIfAborted();
    const report = { check, counts, changes, ending: endingList };
    for (const list of [changes, endingList]) if (list) await writeList(list, fleet);
    await print(report);
    await result.replace();
    return report;
  } catch (error) {
    // A changed input may look like invalid CSV.
    await assertUnchanged();
    throw error;
  } finally {
    bar.clear();
    await result.discard();
  }
};
