import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { SEARCHED_ROWS } from '../../../csv/header.ts';
import type { ProgressBar } from '../../../csv/progress-bar.ts';
import type { Sources, VehicleVerification } from '../index.ts';
import type { CheckArguments } from './arguments.ts';
import { answersByVehicle, CHANGE_COLUMNS, listChanges } from './changes.ts';
import {
  type Check,
  chooseReference,
  complianceCheck,
  failureCells,
  insuranceCheck,
  NO_REGISTRATION,
  NOT_READ,
  notInsuredColumns,
  outcomeOf,
  resultColumns,
  sourcesCell,
  statusCheck,
} from './checks.ts';
import { isNotInsuredList, isResult, type ResultRow, readEarlierResult } from './earlier-result.ts';
import { countNewlyEnding, ENDING_COLUMNS, listEnding } from './ending.ts';
import { CannotRun, requireFile } from './failure.ts';
import { type FleetFile, type FleetRow, readFleet } from './fleet-file.ts';
import { addedColumns, assertReplaceable, csvText, replaceFiles } from './result-files.ts';
import { type Counts, countRows, formatNumber, listsByAnswer, type VehicleList } from './summary.ts';
import type { Sheet } from './workbook.ts';

/** Rows that are looked up together. The progress is shown after each batch. */
const BATCH_SIZE = 4_000;

/** Maximum number of characters of a cell that are sent as a registration. A longer one is invalid either way. */
const MAX_REGISTRATION_LENGTH = 40;

export interface CheckReport {
  readonly check: Check;
  readonly reference: string;
  readonly counts: Counts;
  /** The fewest current suppliers that an answer has named. */
  readonly sources: Sources | undefined;
  /** The line of the header, if rows with text are above it. */
  readonly lineBelowTitle: number | undefined;
  readonly sheet: Sheet | undefined;
  /** The rows that need attention, by answer: not insured (compliant), unknown, invalid, and without a registration. */
  readonly byAnswer: readonly VehicleList[];
  readonly changes: VehicleList | undefined;
  readonly ending: VehicleList | undefined;
  /** Number of rows in the list of what ends that the earlier file of this list did not have. */
  readonly newlyEnding: number;
}

interface CheckOptions {
  readonly client: VehicleVerification;
  readonly bar: ProgressBar;
  readonly signal: AbortSignal;
  readonly print: (report: CheckReport) => Promise<void>;
  readonly fewestSources: () => Sources | undefined;
}

const isList = (columns: readonly string[]) => (header: readonly string[]) => `${header}` === `${columns}`;

/**
 * The output files of a check, in the order in which they replace earlier ones. Each has a test that recognises an
 * earlier one by its header.
 */
const FILES = [
  ['changesFile', isList(CHANGE_COLUMNS)],
  ['endingFile', isList(ENDING_COLUMNS)],
  ['notInsuredFile', isNotInsuredList],
  ['out', isResult],
] as const;

const assertFilesReplaceable = async (args: CheckArguments): Promise<void> => {
  for (const [name, isOwn] of FILES) {
    const path = args[name];
    if (path !== undefined) await assertReplaceable({ path, isOwn, source: args.source, force: args.force });
  }
};

/** The answers of the earlier result; undefined in a first run. */
const readPrevious = async (
  previous: string,
  out: string,
  check: Check,
  { header, columnIndex }: FleetFile,
): Promise<Map<string, string> | undefined> => {
  // A nightly job compares with the result that it replaces; the first time there is none.
  if (resolve(previous) === resolve(out) && !existsSync(out)) return undefined;
  return answersByVehicle(previous, check, await readEarlierResult(previous, check, header[columnIndex] ?? ''));
};

interface AnsweredRow extends ResultRow {
  readonly given: readonly string[];
  readonly checkedAt: string;
}

/** Looks up the rows that can be read, and gives the others the code of their error. */
const answerRows = async (
  rows: readonly FleetRow[],
  { header, columnIndex }: FleetFile,
  check: Check,
  lookUp: (registrations: readonly string[]) => Promise<readonly unknown[]>,
): Promise<AnsweredRow[]> => {
  const registrationOf = ({ cells }: FleetRow) => (cells[columnIndex] ?? '').trim();
  const readable = rows.filter(({ error }) => error === undefined);
  const entries = await lookUp(readable.map((row) => registrationOf(row).slice(0, MAX_REGISTRATION_LENGTH)));
  const answers = entries.values();
  const now = new Date().toISOString();
  return rows.map((row) => ({
    line: row.line,
    registration: registrationOf(row),
    given: header.map((_, at) => row.cells[at] ?? ''),
    cells: row.error === undefined ? check.cellsOf(answers.next().value) : failureCells(check, row.error),
    checkedAt: row.error === undefined ? now : '',
  }));
};

const placesIn =
  ({ check, reference, sheet, sources }: CheckReport) =>
  ({ line, checkedAt, cells }: AnsweredRow): string[] => [
    `${line}`,
    sheet?.name ?? '',
    checkedAt,
    checkedAt === '' ? '' : reference,
    sourcesCell(check, cells, sources),
  ];

/** The vehicles that are not insured (compliant), unknown or invalid. */
const listNotInsured = (check: Check, rows: readonly AnsweredRow[], placeOf: (row: AnsweredRow) => string[]) =>
  rows.flatMap((row) => {
    const answer = outcomeOf(check, row.cells);
    if ([check.outcomes.true, NOT_READ, NO_REGISTRATION].includes(answer)) return [];
    const listed = check.listed.map((name) => row.cells[check.columns.indexOf(name)] ?? '');
    return [[...row.given, answer, ...listed, ...placeOf(row)]];
  });

/** @throws CannotRun when the key permits no part of the check */
const chooseCheck = async (
  { isCompliance, ending }: CheckArguments,
  { client, signal }: CheckOptions,
): Promise<Check> => {
  if (isCompliance) return complianceCheck;
  const { key } = await client.usage({ signal });
  // A faulty service may omit the key.
  const scopes = [key?.scopes ?? []].flat();
  if (scopes.includes('vehicles:read') || !scopes.includes('vehicles:status')) return insuranceCheck;
  if (ending === undefined) return statusCheck;
  throw new CannotRun('--ending-within needs a key with the scope vehicles:read.');
};

/**
 * Checks a list, and writes the result and the lists. They replace earlier files together, after the report is
 * printed: an alert may be repeated, but not lost. @throws CannotRun when a file cannot be used; ApiProblem,
 * ConnectionError; the signal's reason
 */
export const checkFile = async (args: CheckArguments, options: CheckOptions): Promise<CheckReport> => {
  const { source, ending, endingFile } = args;
  const { client, bar, signal, print, fewestSources } = options;
  await requireFile(source);
  const fleet = await readFleet(source, { ...args, searched: SEARCHED_ROWS });
  const total = fleet.rows.length;
  if (total === 0) throw new CannotRun(`${source} has no rows below its header.`);
  const check = await chooseCheck(args, options);
  const previous = args.previous === undefined ? undefined : await readPrevious(args.previous, args.out, check, fleet);
  await assertFilesReplaceable(args);

  const reference = chooseReference(args.reference, fleet);
  const lookUp = (asked: readonly string[]) => check.lookUp(client, asked, { date: args.date, reference, signal });
  const rows: AnsweredRow[] = [];
  let endingRows: string[][] = [];
  try {
    while (rows.length < total) {
      bar.show(rows.length, total, `${formatNumber(rows.length)} of ${formatNumber(total)} rows`);
      const batch = fleet.rows.slice(rows.length, rows.length + BATCH_SIZE);
      rows.push(...(await answerRows(batch, fleet, check, lookUp)));
    }
    if (ending) {
      const insuranceOn = (asked: readonly string[], date: string) => client.verify(asked, { date, reference, signal });
      endingRows = await listEnding({ insuranceOn, check, ...ending }, rows);
    }
  } finally {
    bar.clear();
  }

  const changes =
    args.previous === undefined
      ? undefined
      : {
          title: previous
            ? `Changes since ${args.previous}`
            : `${args.previous} is new: all that are ${check.outcomes.false}, unknown or invalid`,
          columns: CHANGE_COLUMNS,
          rows: listChanges(check, previous, rows),
          path: args.changesFile,
        };
  const report: CheckReport = {
    check,
    reference,
    counts: countRows(check, rows),
    sources: fewestSources(),
    lineBelowTitle: fleet.lineBelowTitle,
    sheet: fleet.sheet,
    byAnswer: listsByAnswer(check, rows, args.notInsuredFile),
    changes,
    ending: ending && {
      title: `Ends from ${ending.from} to ${ending.to}`,
      columns: ENDING_COLUMNS,
      rows: endingRows,
      path: endingFile,
    },
    newlyEnding: endingFile === undefined ? 0 : await countNewlyEnding(endingRows, endingFile),
  };
  const placeOf = placesIn(report);
  const headerWith = (columns: readonly string[]) => [...fleet.header, ...addedColumns(columns, fleet.header)];
  const texts = {
    changesFile: csvText([CHANGE_COLUMNS, ...(changes?.rows ?? [])], fleet),
    endingFile: csvText([ENDING_COLUMNS, ...endingRows], fleet),
    notInsuredFile: csvText([headerWith(notInsuredColumns(check)), ...listNotInsured(check, rows, placeOf)], fleet),
    out: csvText(
      [headerWith(resultColumns(check)), ...rows.map((row) => [...row.given, ...row.cells, ...placeOf(row)])],
      fleet,
    ),
  };
  const files = FILES.flatMap(([name]) => (args[name] === undefined ? [] : [{ path: args[name], text: texts[name] }]));
  await assertFilesReplaceable(args);
  await replaceFiles(files, async () => {
    signal.throwIfAborted();
    await print(report);
    signal.throwIfAborted();
  });
  return report;
};
