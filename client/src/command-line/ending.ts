import { existsSync } from 'node:fs';
import { dayAfter } from '../../../core/runtime/clock.ts';
import { readColumnNames } from '../../../csv/header.ts';
import type { InsuranceEntry } from '../index.ts';
import { registrationKeyOf } from './changes.ts';
import type { Check } from './checks.ts';
import type { ResultRow } from './earlier-result.ts';
import { readFleet } from './fleet-file.ts';

export const ENDING_COLUMNS = ['registration', 'what', 'last_day'];

const INSURANCE = 'insurance';
const RENEWAL_NOT_READ = ' (renewal not read)';

/** Identifies what ends, however the registration is written and whether or not a renewal was read. */
const endKey = ([registration = '', what = '', day = '']: readonly string[]): string =>
  [registrationKeyOf(registration), what.replace(RENEWAL_NOT_READ, ''), day].join();

/** Counts the rows of a list of what ends that the earlier list in a file does not have. @throws CannotRun */
export const countNewlyEnding = async (rows: readonly (readonly string[])[], path: string): Promise<number> => {
  const isList = existsSync(path) && `${await readColumnNames({ path, encoding: 'utf-8' })}` === `${ENDING_COLUMNS}`;
  const earlier = isList ? (await readFleet(path)).rows : [];
  const known = new Set(earlier.map(({ cells }) => endKey(cells)));
  return rows.filter((row) => !known.has(endKey(row))).length;
};

interface EndingOptions {
  readonly insuranceOn: (registrations: readonly string[], day: string) => Promise<readonly InsuranceEntry[]>;
  readonly check: Check;
  readonly from: string;
  readonly to: string;
}

/** Lists what ends, earliest first. Looks up whether each insurance goes on: only the end of the last one is listed. */
export const listEnding = async (
  { insuranceOn, check, from, to }: EndingOptions,
  rows: readonly ResultRow[],
): Promise<string[][]> => {
  const list: string[][] = [];
  /** Registrations by the last day and what ends on it. */
  const days = new Map<string, Map<string, Set<string>>>();
  const collect = (day: string, what: string, registration: string): void => {
    if (day < from || day > to) return;
    const ends = days.get(day) ?? new Map<string, Set<string>>();
    days.set(day, ends.set(what, (ends.get(what) ?? new Set()).add(registration)));
  };
  /** Lists insurance that ends on a day. One that goes on is collected by its next end instead. */
  const addInsurance = async (day: string, registrations: readonly string[]): Promise<void> => {
    for (const entry of await insuranceOn(registrations, dayAfter(day, 1))) {
      if ('code' in entry) list.push([entry.registration, INSURANCE + RENEWAL_NOT_READ, day]);
      else if (entry.insured) collect(entry.policy?.validTo ?? '', INSURANCE, entry.registration);
      else list.push([entry.registration, INSURANCE, day]);
    }
  };
  for (const { registration, cells } of rows) {
    for (const [column, what] of Object.entries(check.ends)) {
      if (what !== INSURANCE || check.isInsured(cells)) collect(cells[column] ?? '', what, registration);
    }
  }
  // Days are handled in order, because a renewal ends on a later day.
  for (let day = from; day <= to; day = dayAfter(day, 1)) {
    for (const [what, registrations] of days.get(day) ?? []) {
      if (what === INSURANCE) await addInsurance(day, [...registrations]);
      else for (const registration of registrations) list.push([registration, what, day]);
    }
  }
  return list;
};
