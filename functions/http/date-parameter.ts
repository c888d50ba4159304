import { apiError } from '../../core/problems.ts';
import { ANSWERABLE_DATE, isAnswerableDate } from '../../core/runtime/clock.ts';
import type { ServedEndpoint } from './endpoint.ts';
import type { InboundMiddleware } from './request.ts';

/**
 * Reads the query parameter `date`, if the row says how it is treated. It is read apart from a row's query: the schema library would
 * cost the lookups that take it 6 ms of their cold start.
 * @throws VALIDATION_FAILED when the row rejects the parameter, when it is no answerable date and when it is given twice
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
