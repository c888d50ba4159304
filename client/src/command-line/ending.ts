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

/** The registrations of what ends, by the last day and what it is. */
const collect = async (rows: AsyncIterable<ResultRow>, { check, from, to }: EndingOptions) => {
  const days = new Map<string, Map<string, Set<string>>>();
  const columns = Object.entries(check.ends).map(([name, what]) => ({ at: check.names.indexOf(name), what }));
  for await (const { registration, cells } of rows) {
    for (const { at, what } of columns) {
      const day = cells[at] ?? '';
      if (day < from || day > to || (what === INSURANCE && !check.isInsured(cells))) continue;
      const ends = days.get(day) ?? new Map<string, Set<string>>();
      days.set(day, ends.set(what, (ends.get(what) ?? new Set()).add(registration)));
    }
  }
  return [...days].toSorted(([a], [b]) => a.localeCompare(b));
};

/** The list of what ends, earliest first. Asks whether each insurance goes on the day after: then it is not listed. */
export async function* endingOf(rows: AsyncIterable<ResultRow>, options: EndingOptions): AsyncGenerator<string[]> {
  const { client, batchSize, signal } = options;
  for (const [day, ends] of await collect(rows, options)) {
    for (const [what, registrations] of ends) {
      if (what !== INSURANCE) {
        for (const registration of registrations) yield [registration, what, day];
        continue;
      }
      const all = [...registrations];
      for (let start = 0; start < all.length; start += batchSize) {
        const date = addDays(day, 1);
        for (const entry of await client.verify(all.slice(start, start + batchSize), { date, signal })) {
          const isUnread = 'code' in entry;
          if (!entry.insured) yield [entry.registration, isUnread ? `${what} (renewal not read)` : what, day];
        }
      }
    }
  }
}
