import type { ParameterIssue } from '../../../core/problems.ts';
import { ANSWERABLE_DATE, isAnswerableDate, type LondonDate } from '../../../core/runtime/clock.ts';
import { GIVEN_TWICE, type Input } from '../../http/validation.ts';

const issueOf = (date: string, more: readonly string[]): ParameterIssue | undefined => {
  if (more.length > 0) return { parameter: 'date', detail: GIVEN_TWICE };
  return isAnswerableDate(date) ? undefined : { parameter: 'date', detail: `must be ${ANSWERABLE_DATE}` };
};

/**
 * The query parameter `date`, the day to answer for instead of today. Has no schema: the schema library would add 6 ms
 * to the cold start of the lookup that takes it.
 */
export const dateInput: Input<{ readonly date?: LondonDate }> = {
  query: ['date'],
  read: ({ context: { query } }) => {
    const [date, ...more] = new URLSearchParams(query).getAll('date');
    if (date === undefined) return { values: {}, issues: [] };
    const issue = issueOf(date, more);
    return issue === undefined ? { values: { date }, issues: [] } : { values: {}, issues: [issue] };
  },
};
