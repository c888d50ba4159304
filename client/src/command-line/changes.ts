import { withoutSeparators } from '../../../core/vehicles/registration.ts';
import { type Check, NO_REGISTRATION, NOT_READ, outcomeOf } from './checks.ts';
import type { ResultRow } from './earlier-result.ts';
import { CannotRun } from './failure.ts';

export const CHANGE_COLUMNS = ['registration', 'change', 'before', 'after'];

/**
 * A cell without blanks around it and without the escaping of formulas by csv-stringify. An earlier result has it where
 * this run has not, so both are compared without it.
 */
const unescaped = (cell: string): string =>
  cell
    .trim()
    .replace(/^'(?=[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/, '')
    .trim();

/** Returns the same text for every way of writing a registration, and of any other text. */
export const registrationKeyOf = (registration: string): string =>
  withoutSeparators(unescaped(registration)).toUpperCase();

const answerOf = (check: Check, { cells }: ResultRow): string =>
  `${outcomeOf(check, cells)} ${unescaped(cells[check.compared] ?? '')}`.trim();

/** The answers of an earlier result, by vehicle. @throws CannotRun when two rows of a vehicle have different answers */
export const answersByVehicle = (path: string, check: Check, rows: readonly ResultRow[]): Map<string, string> => {
  const answers = new Map<string, string>();
  for (const row of rows) {
    const vehicle = registrationKeyOf(row.registration);
    const [known = NOT_READ, answer] = [answers.get(vehicle), answerOf(check, row)];
    if (answer === NO_REGISTRATION) continue;
    if (known !== NOT_READ && answer !== NOT_READ && known !== answer) {
      throw new CannotRun(`${path} has ${row.registration} twice, with different answers: delete one of the rows.`);
    }
    answers.set(vehicle, known === NOT_READ ? answer : known);
  }
  return answers;
};

const changeBetween = ({ outcomes, changes }: Check, before: string | undefined, after: string): string | undefined => {
  if (before === after) return undefined;
  const verdictOf = (answer = '') => Object.values(outcomes).find((outcome) => answer.startsWith(outcome));
  const [had, has] = [verdictOf(before), verdictOf(after)];
  // The earlier answer is not known. A vehicle that is not insured now counts as new, so that it is not overlooked.
  if (before === NOT_READ) return has === outcomes.true ? undefined : 'new';
  if (before === undefined || (had === undefined && has !== undefined)) return 'new';
  if (had !== undefined && has === undefined) return 'gone';
  if (had === has) return had === undefined ? undefined : changes.other;
  return has === outcomes.true ? changes.toTrue : changes.toFalse;
};

/**
 * Lists changes in the order of the rows, then the vehicles that no row has. `previous` is undefined in a first run:
 * then every vehicle is listed that is not insured or compliant, or has no answer.
 */
export const listChanges = (
  check: Check,
  previous: ReadonlyMap<string, string> | undefined,
  rows: readonly ResultRow[],
): string[][] => {
  const changes: string[][] = [];
  const compared = new Set<string>();
  const unread = new Set<string>();
  for (const row of rows) {
    const vehicle = registrationKeyOf(row.registration);
    const after = answerOf(check, row);
    if (compared.has(vehicle) || after === NO_REGISTRATION) continue;
    if (after === NOT_READ) {
      // Another row of the vehicle may have been read.
      unread.add(vehicle);
      continue;
    }
    compared.add(vehicle);
    const before = previous === undefined ? NOT_READ : previous.get(vehicle);
    const change = changeBetween(check, before, after);
    if (change === undefined) continue;
    changes.push([row.registration, change, previous === undefined ? '' : (before ?? ''), after]);
  }
  const gone = [...(previous ?? [])].filter(
    ([vehicle, before]) => before !== NOT_READ && !compared.has(vehicle) && !unread.has(vehicle),
  );
  return [...changes, ...gone.map(([vehicle, before]) => [vehicle, 'gone', before, ''])];
};
