import type { Check } from './checks.ts';
import type { ResultRow } from './earlier-result.ts';
import { CannotRun } from './failure.ts';
import { outcomeOf } from './summary.ts';

/** The columns of the list of changes. */
export const CHANGE_NAMES = ['registration', 'change', 'before', 'after'];

const NOT_READ = 'not read';

/** The vehicle of a registration: the same for every way of writing it. */
const vehicleOf = (registration: string): string =>
  registration
    .normalize('NFC')
    .replace(/[ .\u00b7-]/g, '')
    .toUpperCase();

/** What a row says, such as `insured POL-1`. */
const answerOf = (check: Check, { cells }: ResultRow): string => {
  // The registration of such a row may be in another column.
  if (['TOO_MANY_CELLS', 'MALFORMED_ROW'].includes(cells.at(-1) ?? '')) return NOT_READ;
  return `${outcomeOf(check, cells)} ${cells[1] ?? ''}`.trim();
};

/** The answers of an earlier result, by vehicle. @throws CannotRun when two rows of a vehicle have different answers */
export const readAnswers = async (
  path: string,
  check: Check,
  rows: AsyncIterable<ResultRow>,
): Promise<Map<string, string>> => {
  const answers = new Map<string, string>();
  for await (const row of rows) {
    const vehicle = vehicleOf(row.registration);
    const [known = NOT_READ, answer] = [answers.get(vehicle), answerOf(check, row)];
    if (known !== NOT_READ && answer !== NOT_READ && known !== answer) {
      throw new CannotRun(`${path} has ${row.registration} twice, with different answers: delete one of the rows.`);
    }
    if (vehicle !== '') answers.set(vehicle, known === NOT_READ ? answer : known);
  }
  return answers;
};

/** What has changed between two answers; `undefined` for nothing. A row that was not read is no change. */
export const changeBetween = (
  { outcomes, changes }: Check,
  before: string | undefined,
  after: string | undefined,
): string | undefined => {
  if (before === after || before === NOT_READ || after === NOT_READ) return undefined;
  const verdictOf = (answer = '') => Object.values(outcomes).find((outcome) => answer.startsWith(outcome));
  const [had, has] = [verdictOf(before), verdictOf(after)];
  if (before === undefined || (had === undefined && has !== undefined)) return 'new';
  if (after === undefined || (had !== undefined && has === undefined)) return 'gone';
  if (had === has) return had === undefined ? undefined : changes.other;
  return has === outcomes.true ? changes.toTrue : changes.toFalse;
};

/** The list of changes, in the order of the rows, with the vehicles that are gone at the end. Empties `previous`. */
export async function* changesOf(
  check: Check,
  previous: Map<string, string>,
  rows: AsyncIterable<ResultRow>,
): AsyncGenerator<string[]> {
  const seen = new Set<string>();
  for await (const row of rows) {
    const vehicle = vehicleOf(row.registration);
    if (vehicle === '' || seen.has(vehicle)) continue;
    seen.add(vehicle);
    const [before, after] = [previous.get(vehicle), answerOf(check, row)];
    previous.delete(vehicle);
    const change = changeBetween(check, before, after);
    if (change !== undefined) yield [row.registration, change, before ?? '', after];
  }
  for (const [vehicle, before] of previous) if (before !== NOT_READ) yield [vehicle, 'gone', before, ''];
}
