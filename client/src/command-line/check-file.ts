import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProgressBar } from '../../../csv/progress-bar.ts';
import type { VehicleVerification } from '../index.ts';
import { type AnsweredRow, type AnswerOptions, answerRows } from './answer-rows.ts';
import type { CheckArguments } from './arguments.ts';
import { CHANGE_COLUMNS, listChanges, readAnswers } from './changes.ts';
import { csvText, headerText, withOutputs } from './check-outputs.ts';
import { type Check, complianceCheck, insuranceCheck, openLookups } from './checks.ts';
import { openEarlierResult } from './earlier-result.ts';
import { ENDING_COLUMNS, listEnding, newlyEnding, readEarlierEnding } from './ending.ts';
import { CannotRun, requireFile } from './failure.ts';
import { type FleetFile, findColumn, openFleet } from './fleet-file.ts';
import { listNotInsured, NOT_INSURED_COLUMNS } from './not-insured.ts';
import { type OutputFile, replaceFiles } from './result-file.ts';
import { type Counts, countRow, noCounts, shortSummary } from './summary.ts';
import type { VehicleList } from './vehicle-list.ts';

/** Concurrent bulk requests. */
export const CONCURRENCY = 4;

/** Rows in which the header is searched: titles and remarks may be above it. */
const SEARCHED_ROWS = 20;

/** What a check has found. */
export interface CheckReport {
  readonly check: Check;
  readonly counts: Counts;
  /** The line of the header, if rows with text are above it. */
  readonly lineBelowTitle: number | undefined;
  /** The vehicles that are not insured (compliant), unknown or invalid. */
  readonly notInsured: VehicleList;
  readonly changes: VehicleList | undefined;
  readonly ending: VehicleList | undefined;
  /** Rows of the list of what ends that its file did not have before. */
  readonly newlyEnding: number;
}

interface CheckOptions {
  readonly client: VehicleVerification;
  readonly bar: ProgressBar;
  readonly signal: AbortSignal;
  /** Prints what was found. */
  readonly print: (report: CheckReport) => Promise<void>;
}

/** SHA-256 of a file; undefined when it cannot be read. */
const hashFile = async (path: string): Promise<string | undefined> => {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
};

/** Opens the input. It is read several times, so it must not change, not even with the same time and size. */
const openInput = async (args: CheckArguments) => {
  const { source } = args;
  await requireFile(source);
  const hash = await hashFile(source);
  const fleet = await openFleet(source, (header) => findColumn(source, header, args.column), {
    ...args,
    searched: SEARCHED_ROWS,
  });
  if (fleet.rowCount === 0) throw new CannotRun(`${source} has no rows below its header.`);
  const assertUnchanged = async (): Promise<void> => {
    if ((await hashFile(source)) === hash) return;
    throw new CannotRun(`${source} has changed during the check: run the same command again.`);
  };
  return { fleet, assertUnchanged };
};

/** The answers of the earlier result, undefined in a first run, and the earlier list of what ends. */
const readEarlier = async (args: CheckArguments, check: Check, { header, columnIndex }: FleetFile) => {
  const { previous, out, endingFile } = args;
  // A nightly job compares with the result that it replaces; the first time there is none.
  const isFirst = previous !== undefined && resolve(previous) === resolve(out) && !existsSync(out);
  const column = header[columnIndex] ?? '';
  const answers =
    previous === undefined || isFirst
      ? undefined
      : await readAnswers(previous, check, await openEarlierResult(previous, check, column));
  return { answers, ending: endingFile === undefined ? new Set<string>() : await readEarlierEnding(endingFile) };
};

/** @throws CannotRun when the key may not ask */
const readBatchSize = async (
  { ending, isCompliance }: CheckArguments,
  { client, signal }: CheckOptions,
): Promise<number> => {
  const { limits, key } = await client.usage({ signal });
  if (ending && !key.scopes.includes('vehicles:read')) {
    const asking = isCompliance ? '--ending-within asks' : 'The check and --ending-within ask';
    throw new CannotRun(`${asking} about insurance, for which the key needs the scope vehicles:read.`);
  }
  return limits.registrationsPerBulk * CONCURRENCY;
};

/** Names of the added columns, which differ from the input's and from each other. */
const addedColumns = (columns: readonly string[], header: readonly string[]): string[] =>
  columns.map((name) => {
    let free = name;
    for (let nth = 2; header.includes(free); nth += 1) free = `${name}_${nth}`;
    return free;
  });

/** Looks up every row, writes it to the result, and passes it to `use`. */
const writeRows = async (
  result: OutputFile,
  fleet: FleetFile,
  options: AnswerOptions,
  bar: ProgressBar,
  use: (row: AnsweredRow) => void,
): Promise<Counts> => {
  const { check } = options;
  const counts = noCounts();
  const show = () => bar.show(counts.rows, fleet.rowCount, shortSummary(check, counts));
  show();
  await result.write(headerText([...fleet.header, ...addedColumns(check.columns, fleet.header)], fleet));
  for await (const rows of answerRows(fleet, options)) {
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

/** The lists of a check, to which its rows are added. */
const openLists = (args: CheckArguments, earlier: Awaited<ReturnType<typeof readEarlier>>, options: AnswerOptions) => {
  const { check } = options;
  const { previous } = args;
  const changed = previous === undefined ? undefined : listChanges(check, earlier.answers);
  const notInsured = listNotInsured(check);
  const ends = args.ending && listEnding({ ...options, ...args.ending });
  const changesTitle = earlier.answers
    ? `Changes since ${previous}`
    : `${previous} is new: all that are ${check.outcomes.false}, unknown or invalid`;
  const changesList = { title: changesTitle, columns: CHANGE_COLUMNS, path: args.changesFile };
  const notInsuredTitle = `${check.outcomes.false}, unknown or invalid`;
  const notInsuredList = { title: notInsuredTitle, columns: NOT_INSURED_COLUMNS, path: args.notInsuredFile };
  const endingTitle = `Ends from ${args.ending?.from} to ${args.ending?.to}`;
  const endingList = { title: endingTitle, columns: ENDING_COLUMNS, path: args.endingFile };
  return {
    add: (row: AnsweredRow): void => {
      notInsured.add(row);
      changed?.add(row);
      ends?.add(row);
    },
    /** Called after the last row. */
    finish: async (): Promise<Pick<CheckReport, 'notInsured' | 'changes' | 'ending' | 'newlyEnding'>> => {
      const rows = (await ends?.finish()) ?? [];
      return {
        notInsured: { ...notInsuredList, rows: notInsured.rows },
        changes: changed && { ...changesList, rows: changed.finish() },
        ending: ends && { ...endingList, rows },
        newlyEnding: newlyEnding(rows, earlier.ending).length,
      };
    },
  };
};

/**
 * Checks a CSV file, and writes the result, the lists and the receipts. They replace earlier files together, after the
 * report is printed: an alert may be repeated, but not lost. @throws CannotRun when a file cannot be used or the input
 * changes; ApiProblem, ConnectionError, InvalidReceipt; the signal's reason
 */
export const checkFile = async (args: CheckArguments, options: CheckOptions): Promise<CheckReport> => {
  const { client, bar, signal, print } = options;
  const check = args.isCompliance ? complianceCheck : insuranceCheck;
  const { fleet, assertUnchanged } = await openInput(args);
  const earlier = await readEarlier(args, check, fleet);
  return withOutputs(args, fleet, async (outputs) => {
    const batchSize = await readBatchSize(args, options);
    const lookups = openLookups(client, signal, outputs.receipts);
    const answerOptions = { lookups, check, date: args.date, batchSize };
    const lists = openLists(args, earlier, answerOptions);
    try {
      const counts = await writeRows(outputs.result, fleet, answerOptions, bar, lists.add);
      const { lineBelowTitle } = fleet;
      const report = { check, counts, lineBelowTitle, ...(await lists.finish()) };
      for (const name of ['changes', 'ending', 'notInsured'] as const) {
        const list = report[name];
        if (list) await outputs[name]?.write(headerText(list.columns, fleet) + csvText(list.rows, fleet));
      }
      for (const file of Object.values(outputs)) await file.complete();
      await assertUnchanged();
      signal.throwIfAborted();
      bar.clear();
      await print(report);
      signal.throwIfAborted();
      await replaceFiles(Object.values(outputs));
      return report;
    } catch (error) {
      // A changed input may look like invalid CSV.
      await assertUnchanged();
      throw error;
    } finally {
      bar.clear();
    }
  });
};
