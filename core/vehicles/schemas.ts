import * as T from 'typebox';
import { ANSWERABLE_DATE, isAnswerableDate } from '../runtime/clock.ts';

/** A day to answer for instead of today: the query parameter of the lookup, a field of the bulk request. */
export const AnswerableDate = T.Refine(
  T.String({ format: 'date', description: ANSWERABLE_DATE }),
  (value) => typeof value !== 'string' || isAnswerableDate(value),
  () => `must be ${ANSWERABLE_DATE}`,
);

export const registrations = T.Array(T.String(), {
  minItems: 1,
  description: 'Registration numbers, up to the bulk size of the plan',
});
