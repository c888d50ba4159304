import { randomInt } from 'node:crypto';
import { containsRegistration } from '../../../core/reference.ts';
import { londonDate } from '../../../core/runtime/clock.ts';
import { CannotRun } from './failure.ts';
import type { FleetFile } from './fleet-file.ts';

/** With them the letters make no word. */
const CONSONANTS = 'bcdfghjklmnpqrstvwxz';

/**
 * The reference of a check: the given one, otherwise the day and eight random consonants.
 * @throws CannotRun when the given one contains a registration of the list
 */
export const chooseReference = (given: string | undefined, list: Pick<FleetFile, 'rows' | 'columnIndex'>): string => {
  const registrations = list.rows.map(({ cells }) => cells[list.columnIndex] ?? '');
  const letters = Array.from({ length: 8 }, () => CONSONANTS.charAt(randomInt(CONSONANTS.length))).join('');
  const reference = given ?? `${londonDate(new Date())}-${letters}`;
  if (!containsRegistration(reference, registrations)) return reference;
  if (given === undefined) return chooseReference(given, list);
  throw new CannotRun('--reference contains a registration of the list: give another one.');
};
