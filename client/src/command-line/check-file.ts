import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { SEARCHED_ROWS } from '../../../csv/header.ts';
import type { ProgressBar } from '../../../csv/progress-bar.ts';
import type { Sources, UsageReport, VehicleVerification } from '../index.ts';
import type { CheckArguments } from './arguments.ts';
import { answersByVehicle, CHANGE_COLUMNS, listChanges } from './changes.ts';
import {
  type Cells,
  type Check,
  chooseReference,
  complianceCheck,
  formatNumber,
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
import { addedColumns, assertReplaceable, csvText } from './result-files.ts';

/** Rows that are looked up together. The progress is shown after each batch. */
const BATCH_SIZE = 4_000;

/** Maximum number of characters of a cell that are sent as a registration. A longer one is invalid either way. */
const MAX_REGISTRATION_LENGTH = 40;

interface CheckOptions {
  readonly client: VehicleVerification;
  readonly bar: ProgressBar;
  readonly signal: AbortSignal;
  /** The fewest current suppliers that an answer has named. */
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
}

/** Looks up the rows that can be read, and gives the others the code of their error. */
const answerRows = async (
  rows: readonly FleetRow[],
  { header, columnIndex, sheet }: FleetFile,
  lookUp: (registrations: readonly string[]) => ReturnType<Check['lookUp']>,
  reference: string,
): Promise<AnsweredRow[]> => {
  const registrationOf = ({ cells }: FleetRow) => (cells[columnIndex] ?? '').trim();
  const readable = rows.filter(({ error }) => error === undefined);
  const answers = await lookUp(readable.map((row) => registrationOf(row).slice(0, MAX_REGISTRATION_LENGTH)));
  const remaining = answers.values();
  const asked = { checked_at: new Date().toISOString(), reference };
  return rows.map((row) => {
    const answer = row.error === undefined ? { ...remaining.next().value?.cells, ...asked } : { error: row.error };
    return {
      line: row.line,
      registration: registrationOf(row),
      given: header.map((_, at) => row.cells[at] ?? ''),
      cells: { ...answer, row: `${row.line}`, sheet: sheet?.name ?? '' },
    };
  });
};

/**
 * Otherwise the units of the lookups before the rejected one would be spent, and there would be no result. The lookups
 * of renewals come on top.
 */
const assertAllowance = ({ allowance }: UsageReport, needed: number): void => {
  // A faulty service may answer with anything.
  const periods = Array.isArray(allowance) ? allowance : [];
  const short = periods.find((one) => one?.limit - one?.used < needed);
  if (short === undefined) return;
  const { period, limit, used, resetsAt } = short;
  const left = `${formatNumber(Math.max(limit - used, 0))} are left until ${resetsAt}`;
  throw new CannotRun(
    `The plan allows ${formatNumber(limit)} units in a ${period}, of which ${left}, and the list needs ${formatNumber(needed)}: check fewer vehicles, or ask your provider for more. Nothing was looked up.`,
  );
};

/** @throws CannotRun when the key permits no part of the check, or has fewer units than rows are looked up */
const chooseCheck = async (
  { isCompliance, ending }: CheckArguments,
  { client, signal }: CheckOptions,
  rows: readonly FleetRow[],
): Promise<Check> => {
  const usage = await client.usage({ signal });
  assertAllowance(usage, rows.filter(({ error }) => error === undefined).length);
  // A faulty service may omit the key.
  const scopes = [usage.key?.scopes ?? []].flat();
  const seesPolicies = scopes.length === 0 || scopes.includes('vehicles:read');
  if (ending !== undefined && !seesPolicies) {
    throw new CannotRun('--ending-within needs a key with the scope vehicles:read.');
  }
  if (isCompliance) return complianceCheck;
  return seesPolicies || !scopes.includes('vehicles:status') ? insuranceCheck : statusCheck;
};

/** The cells of these columns, in their order. */
export const cellsIn = (columns: readonly string[], cells: Cells): string[] => columns.map((name) => cells[name] ?? '');

/** What a check has found, before anything is printed or written. */
export type CheckResult = Omit<Awaited<ReturnType<typeof checkFile>>, 'files'>;

/**
 * Checks a list, and returns what it has found and the texts of its files, in the order in which they are to replace
 * earlier ones after the summary is printed: an alert may be repeated, but not lost. That they may is checked last.
 * @throws CannotRun when a file cannot be used; ApiProblem, ConnectionError; the signal's reason
 */
export const checkFile = async (args: CheckArguments, options: CheckOptions) => {
  const { source, endingFile } = args;
  const { client, bar, signal, fewestSources } = options;
  await requireFile(source);
  const fleet = await readFleet(source, { ...args, searched: SEARCHED_ROWS });
  const total = fleet.rows.length;
  if (total === 0) throw new CannotRun(`${source} has no rows below its header.`);
  const check = await chooseCheck(args, options, fleet.rows);
  const previous = args.previous === undefined ? undefined : await readPrevious(args.previous, args.out, check, fleet);
  await assertFilesReplaceable(args);

  const reference = chooseReference(args.reference, fleet);
  const lookUp = (asked: readonly string[]) => check.lookUp(client, asked, { date: args.date, reference, signal });
  const answered: AnsweredRow[] = [];
  let ending: string[][] = [];
  try {
    while (answered.length < total) {
      bar.show(answered.length, total, `${formatNumber(answered.length)} of ${formatNumber(total)} rows`);
      const batch = fleet.rows.slice(answered.length, answered.length + BATCH_SIZE);
      answered.push(...(await answerRows(batch, fleet, lookUp, reference)));
    }
    if (args.ending) {
      const insuranceOn = (asked: readonly string[], date: string) => client.verify(asked, { date, reference, signal });
      ending = await listEnding({ insuranceOn, check, ...args.ending }, answered);
    }
  } finally {
    bar.clear();
  }

  const sources = fewestSources();
  const rows = answered.map(({ cells, ...row }): AnsweredRow => {
    const added = { answer: outcomeOf(check, cells), sources: sourcesCell(cells, sources) };
    return { ...row, cells: { ...cells, ...added } };
  });
  const changes = args.previous === undefined ? undefined : listChanges(check, previous, rows);
  const notInsured = rows.filter(
    ({ cells }) => ![check.outcomes.true, NOT_READ, NO_REGISTRATION].includes(cells.answer ?? ''),
  );
  const copied = (columns: readonly string[], of: readonly AnsweredRow[]) => [
    [...fleet.header, ...addedColumns(columns, fleet.header)],
    ...of.map(({ given, cells }) => [...given, ...cellsIn(columns, cells)]),
  ];
  const tables = {
    changesFile: [CHANGE_COLUMNS, ...(changes ?? [])],
    endingFile: [ENDING_COLUMNS, ...ending],
    notInsuredFile: copied(notInsuredColumns(check), notInsured),
    out: copied(resultColumns(check), rows),
  };
  const newlyEnding = endingFile === undefined ? 0 : await countNewlyEnding(ending, endingFile);
  const files = FILES.flatMap(([name]) => {
    const path = args[name];
    return path === undefined ? [] : [{ path, text: csvText(tables[name], fleet) }];
  });
  await assertFilesReplaceable(args);
  return {
    check,
    fleet,
    rows,
    sources,
    isFirstRun: previous === undefined,
    changes,
    ending,
    /** Number of rows in the list of what ends that the earlier file of this list did not have. */
    newlyEnding,
    files,
  };
};
