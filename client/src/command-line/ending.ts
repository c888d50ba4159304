import { existsSync } from 'node:fs';
import { readColumnNames } from '../../../csv/read-csv.ts';
import type { AnswerOptions } from './answer-rows.ts';
import { registrationKeyOf } from './changes.ts';
import { addDays } from './days.ts';
import { type ResultRow, unescaped } from './earlier-result.ts';
import { findColumn, openFleet } from './fleet-file.ts';

/** The columns of the list of what ends. */
export const ENDING_COLUMNS = ['registration', 'what', 'last_day'];

const INSURANCE = 'insurance';
const NOT_READ = ' (renewal not read)';

/** Identifies what ends, however the registration is written and whether or not a renewal was read. */
const endOf = ([registration = '', what = '', day = '']: readonly string[]): string =>
  [registrationKeyOf(registration), what.replace(NOT_READ, ''), day].join();

/** The rows of a list of what ends that an earlier list does not have. */
export const newlyEnding = (rows: readonly (readonly string[])[], earlier: ReadonlySet<string>) =>
  rows.filter((row) => !earlier.has(endOf(row)));

/** What ends by the list in a file, if it has one. @throws CannotRun when it cannot be read */
export const readEarlierEnding = async (path: string): Promise<ReadonlySet<string>> => {
  const ends = new Set<string>();
  if (!existsSync(path)) return ends;
  if (`${await readColumnNames({ path, encoding: 'utf-8' })}` !== `${ENDING_COLUMNS}`) return ends;
  const { rows } = await openFleet(path, (header) => findColumn(path, header, undefined));
  for await (const { cells } of rows()) ends.add(endOf(cells.map(unescaped)));
  return ends;
};

interface EndingOptions extends Pick<AnswerOptions, 'lookups' | 'check' | 'batchSize'> {
  /** The first and the last day of the list. */
  readonly from: string;
  readonly to: string;
}

/** Lists what ends, earliest first. Looks up whether each insurance goes on: only the end of the last one is listed. */
export const listEnding = ({ lookups, check, from, to, batchSize }: EndingOptions) => {
  const list: string[][] = [];
  /** Registrations by the last day and what ends on it. */
  const days = new Map<string, Map<string, Set<string>>>();
  const columns = Object.entries(check.ends).map(([name, what]) => ({ at: check.columns.indexOf(name), what }));

  const collect = (day: string, what: string, registration: string): void => {
    if (day < from || day > to) return;
    const ends = days.get(day) ?? new Map<string, Set<string>>();
    days.set(day, ends.set(what, (ends.get(what) ?? new Set()).add(registration)));
  };

  /** Lists insurance that ends on a day. One that goes on is collected by its next end instead. */
  const addInsurance = async (day: string, registrations: readonly string[]): Promise<void> => {
    for (let start = 0; start < registrations.length; start += batchSize) {
      const batch = registrations.slice(start, start + batchSize);
      for (const entry of await lookups.insurance(batch, addDays(day, 1))) {
        if ('code' in entry) list.push([entry.registration, INSURANCE + NOT_READ, day]);
        else if (entry.insured) collect(entry.policy?.validTo ?? '', INSURANCE, entry.registration);
        else list.push([entry.registration, INSURANCE, day]);
      }
    }
  };

  return {
    add: ({ registration, cells }: ResultRow): void => {
      for (const { at, what } of columns) {
        if (what !== INSURANCE || check.isInsured(cells)) collect(cells[at] ?? '', what, registration);
      }
    },
    /** Called after the last row. */
    finish: async (): Promise<string[][]> => {
      // In order, because a renewal ends on a later day.
      for (let day = from; day <= to; day = addDays(day, 1)) {
        for (const [what, registrations] of days.get(day) ?? []) {
          if (what === INSURANCE) await addInsurance(day, [...registrations]);
          else for (const registration of registrations) list.push([registration, what, day]);
        }
        days.delete(day);
      }
      return list;
    },
  };
};
