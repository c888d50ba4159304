import type { VehicleVerification } from '../index.ts';
import type { Check } from './checks.ts';
import { addDays } from './days.ts';
import type { ResultRow } from './earlier-result.ts';

/** The columns of the list of what ends. */
export const ENDING_NAMES = ['registration', 'what', 'last_day'];

const INSURANCE = 'insurance';

interface EndingOptions {
  readonly client: VehicleVerification;
  readonly check: Check;
  /** The first and the last day of the list. */
  readonly from: string;
  readonly to: string;
  /** Registrations that are asked at the same time: a multiple of the plan's bulk size. */
  readonly batchSize: number;
  readonly signal: AbortSignal;
}

/** Lists what ends, earliest first. Asks whether each insurance goes on: only the end of the last one is listed. */
export const listEnding = ({ client, check, from, to, batchSize, signal }: EndingOptions) => {
  const list: string[][] = [];
  /** Registrations by the last day and what ends on it. */
  const days = new Map<string, Map<string, Set<string>>>();
  const columns = Object.entries(check.ends).map(([name, what]) => ({ at: check.names.indexOf(name), what }));

  const collect = (day: string, what: string, registration: string): void => {
    if (day < from || day > to) return;
    const ends = days.get(day) ?? new Map<string, Set<string>>();
    days.set(day, ends.set(what, (ends.get(what) ?? new Set()).add(registration)));
  };

  /** Lists insurance that ends on a day. One that goes on is collected by its next end instead. */
  const addInsurance = async (day: string, registrations: readonly string[]): Promise<void> => {
    for (let start = 0; start < registrations.length; start += batchSize) {
      const asked = registrations.slice(start, start + batchSize);
      for (const entry of await client.verify(asked, { date: addDays(day, 1), signal })) {
        if ('code' in entry) list.push([entry.registration, `${INSURANCE} (renewal not read)`, day]);
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
    /** The whole list, after the last row. */
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
