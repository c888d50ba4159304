import type { CheckArguments } from './arguments.ts';
import { CHANGE_COLUMNS } from './changes.ts';
import type { CheckResult } from './check-file.ts';
import {
  type Check,
  complianceCheck,
  FAILURE_NAMES,
  formatNumber,
  NO_REGISTRATION,
  NOT_READ,
  outcomeOf,
} from './checks.ts';
import type { ResultRow } from './earlier-result.ts';
import { ENDING_COLUMNS } from './ending.ts';

const countEach = <Value>(values: readonly Value[]): ReadonlyMap<Value, number> => {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
};

const countRows = (check: Check, rows: readonly ResultRow[]) => {
  const answered = rows.filter(({ cells }) => !cells.error);
  const insurance = countEach(answered.map(({ cells }) => check.isInsured(cells)));
  const reasons = answered.map(({ cells }) => cells.reasons?.split(' ').filter(Boolean) ?? []);
  const outcomes = countEach(rows.map(({ cells }) => outcomeOf(check, cells)));
  return {
    outcomes,
    reasons: countEach(reasons.flat()),
    /** Vehicles that are not compliant only because a source has said nothing about them. */
    onlyUnknown: reasons.filter((each) => each.length > 0 && each.every((reason) => reason.endsWith('_UNKNOWN')))
      .length,
    insured: insurance.get(true) ?? 0,
    notInsured: insurance.get(false) ?? 0,
    failed: rows.length - answered.length - (outcomes.get(NO_REGISTRATION) ?? 0),
    unread: outcomes.get(NOT_READ) ?? 0,
  };
};

const countLines = (check: Check, counts: ReturnType<typeof countRows>): string[] => {
  const line = (name: string, count = 0) => `  ${name.padEnd(25)}${formatNumber(count).padStart(9)}`;
  const { outcomes, reasons, onlyUnknown, insured, notInsured } = counts;
  return [
    line(check.outcomes.true, outcomes.get(check.outcomes.true)),
    line(check.outcomes.false, outcomes.get(check.outcomes.false)),
    ...[...reasons].toSorted(([, a], [, b]) => b - a).map(([name, count]) => line(`  ${name}`, count)),
    ...(onlyUnknown > 0 ? [line('  only unknown', onlyUnknown)] : []),
    ...(check === complianceCheck ? [line('insured', insured), line('not insured', notInsured)] : []),
    ...FAILURE_NAMES.filter((name) => outcomes.has(name)).map((name) => line(name, outcomes.get(name))),
  ];
};

/** Rows that are printed. The file has all of them. */
const MAX_PRINTED = 20;
/** Characters of a cell: more than a registration, a verdict with all reasons or a policy number has. */
const MAX_CELL = 100;

const shortened = (cell: string): string => (cell.length > MAX_CELL ? `${cell.slice(0, MAX_CELL - 1)}…` : cell);

interface VehicleList {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The option that names a file for the whole list, if there is one, and the file that it names. */
  readonly option?: string;
  readonly path?: string | undefined;
}

/** The list as a table, below an empty line. */
const tableLines = ({ title, columns, rows, option, path }: VehicleList): string[] => {
  const printed = [columns, ...rows.slice(0, MAX_PRINTED)].map((row) => row.map(shortened));
  const widths = columns.map((_, at) => Math.max(...printed.map((row) => row[at]?.length ?? 0)));
  const more = rows.length - MAX_PRINTED;
  const all = path === undefined ? `name a file for all of them with ${option}` : `all are in ${path}`;
  const where = option === undefined ? '' : `: ${all}`;
  return [
    '',
    `${title}: ${formatNumber(rows.length)}`,
    ...(rows.length === 0
      ? []
      : printed.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd())),
    ...(more > 0 ? [`  and ${formatNumber(more)} more${where}`] : []),
  ];
};

/** A list for each answer that needs attention: not insured (compliant), unknown, invalid, no registration. */
const listsByAnswer = ({ notInsuredFile: path }: CheckArguments, { check, rows }: CheckResult): VehicleList[] =>
  [check.outcomes.false, ...FAILURE_NAMES].flatMap((title) => {
    const ofAnswer = title === NOT_READ ? [] : rows.filter(({ cells }) => outcomeOf(check, cells) === title);
    if (ofAnswer.length === 0) return [];
    const shown = ofAnswer.map(({ registration, cells, line }) => [registration, cells.suggestion ?? '', `${line}`]);
    const list = { title, columns: ['registration', 'suggestion', 'row'], rows: shown };
    // The file of `--not-insured` has no rows without a registration.
    return [title === NO_REGISTRATION ? list : { ...list, option: '--not-insured', path }];
  });

/** What a check prints, and what decides its exit code. */
export const summarise = (args: CheckArguments, result: CheckResult) => {
  const { check, rows, sources, fleet, changes, isFirstRun, ending, newlyEnding } = result;
  const counts = countRows(check, rows);
  const lists = listsByAnswer(args, result);
  if (changes) {
    const title = isFirstRun
      ? `${args.previous} is new: all that are ${check.outcomes.false}, unknown or invalid`
      : `Changes since ${args.previous}`;
    lists.push({ title, columns: CHANGE_COLUMNS, rows: changes, option: '--changes', path: args.changesFile });
  }
  if (args.ending) {
    const title = `Ends from ${args.ending.from} to ${args.ending.to}`;
    lists.push({ title, columns: ENDING_COLUMNS, rows: ending, option: '--ending', path: args.endingFile });
  }
  const found = {
    'not-insured': counts.notInsured,
    changes: changes?.length ?? 0,
    ending: ending.length,
    'newly-ending': newlyEnding,
    unanswered: counts.failed - counts.unread,
  };
  const reasons = args.failOn.filter((name) => found[name] > 0).map((name) => `${name} (${formatNumber(found[name])})`);
  const isOneLate = sources !== undefined && sources.current < sources.expected;
  const lines = [
    `${args.out}: ${formatNumber(rows.length)} rows, ${formatNumber(counts.failed)} without an answer.`,
    ...(fleet.lineBelowTitle
      ? [`Line ${fleet.lineBelowTitle} of ${args.source} names the columns; what is above it is left out.`]
      : []),
    ...(fleet.sheet ? [`The list is the sheet ${JSON.stringify(fleet.sheet.name)}.`] : []),
    ...(fleet.sheet?.hidden ?? []).map((name) => `The sheet ${JSON.stringify(name)} is hidden, and left out.`),
    ...countLines(check, counts),
    ...(isOneLate
      ? [
          `Suppliers of the service that were current: ${sources.current} of ${sources.expected}. What is not insured or unknown here may be insured by another one.`,
        ]
      : []),
    ...lists.flatMap(tableLines),
    ...(reasons.length > 0 ? ['', `--fail-on has found ${reasons.join(', ')}.`] : []),
  ];
  return { lines, hasFound: reasons.length > 0, failed: counts.failed, unread: counts.unread };
};
