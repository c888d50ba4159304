import { isValidEntry } from '../answers.ts';
import { describeValue } from '../receipts.ts';
import { type Check, failureCells } from './checks.ts';
import { outcomeOf } from './summary.ts';

/** Text that cannot be mistaken for anything but a registration. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{N} .-]{0,31}$/u;

/** A registration as it was sent, in quotes if it could be mistaken for an answer. */
const shownRegistration = (text: string): string => (PLAIN.test(text) ? text : describeValue(text));

/** An entry of a bulk answer in one line. @param day the day that was asked for; undefined for today */
export const entryLine = (check: Check, registration: string, entry: unknown, day: unknown): string => {
  const cells = isValidEntry[check.verdict](entry) ? check.cellsOf(entry) : failureCells(check, 'INVALID_ANSWER');
  const details = cells.slice(1, -1).flatMap((cell, at) => (cell ? `${check.columns[at + 1]} ${cell}` : []));
  // A vehicle without an answer has none on any day.
  const on = day === undefined || cells.at(-1) ? '' : ` on ${day}`;
  return [shownRegistration(registration), `${outcomeOf(check, cells)}${on}`, ...details].join(', ');
};
