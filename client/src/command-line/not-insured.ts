import type { AnsweredRow } from './answer-rows.ts';
import type { Check } from './checks.ts';
import { FAILURE_NAMES, NO_REGISTRATION, NOT_READ, outcomeOf } from './summary.ts';
import type { VehicleList } from './vehicle-list.ts';

/** The columns of the list of vehicles that are not insured (compliant), unknown or invalid. */
export const NOT_INSURED_COLUMNS = ['registration', 'answer', 'suggestion', 'line'];

/** Lists the vehicles that are not insured (compliant), unknown or invalid, in the order of the rows. */
export const listNotInsured = (check: Check) => {
  const rows: string[][] = [];
  const others = [check.outcomes.true, NOT_READ, NO_REGISTRATION];
  return {
    rows,
    add: ({ line, registration, cells }: AnsweredRow): void => {
      const answer = outcomeOf(check, cells);
      if (!others.includes(answer)) rows.push([registration, answer, cells.at(-2) ?? '', `${line}`]);
    },
  };
};

/** A list for each answer. */
export const listsByAnswer = (check: Check, { rows, path }: Pick<VehicleList, 'rows' | 'path'>): VehicleList[] =>
  [check.outcomes.false, ...FAILURE_NAMES].flatMap((title) => {
    const ofAnswer = rows.filter(([, answer]) => answer === title);
    if (ofAnswer.length === 0) return [];
    const cells = ofAnswer.map(([registration = '', , suggestion = '', line = '']) => [registration, suggestion, line]);
    return [{ title, path, columns: ['registration', 'suggestion', 'line'], rows: cells }];
  });
