import { apiError } from '../../core/problems.ts';
import { ANSWERABLE_DATE, isAnswerableDate } from '../../core/runtime/clock.ts';
import type { ServedEndpoint } from './endpoint.ts';
import type { InboundMiddleware } from './request.ts';

/**
 * Reads the query parameter `date` as the row's `date` prescribes; ignores it without one. It has no schema: the schema library
 * would add 6 ms to the cold start of the lookups that accept it.
 * @throws VALIDATION_FAILED when the row rejects it, when it is not an answerable date and when it is given twice
 */
export const dateParameter = ({ date: rule }: Pick<ServedEndpoint, 'date'>): InboundMiddleware => ({
  before: ({ event: { rawQueryString }, internal: context }) => {
    if (rule === undefined || typeof rawQueryString !== 'string') return;
    const [date, ...more] = new URLSearchParams(rawQueryString).getAll('date');
    if (date === undefined) return;
    const reject = (detail: string) => apiError('VALIDATION_FAILED', { issues: [{ parameter: 'date', detail }] });
    if (rule !== 'accepted') throw reject(rule.rejected);
    if (more.length > 0) throw reject('must not be given more than once');
    if (!isAnswerableDate(date)) throw reject(`must be ${ANSWERABLE_DATE}`);
    context.date = date;
  },
});
