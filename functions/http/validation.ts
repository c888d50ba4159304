import {
  INVALID_REGISTRATION_ISSUE,
  invalidRegistration,
  type ParameterIssue,
  validationFailed,
} from '../../core/problems.ts';
import { ANSWERABLE_DATE, isAnswerableDate, type LondonDate } from '../../core/runtime/clock.ts';
import { normaliseRegistration } from '../../core/vehicles/registration.ts';
import type { ServedEndpoint } from './endpoint.ts';
import type { InboundMiddleware, Input, RequestContext } from './request.ts';

/** The issue of a query parameter that is given twice. */
export const GIVEN_TWICE = 'must not be given more than once';

type Row = Pick<ServedEndpoint, 'paths' | 'date'>;

/** An id that is none of ours has no issue: nothing is found for it. */
const pathIssues = (
  { paths: [path] }: Row,
  { registration = '' }: RequestContext['pathParameters'],
): ParameterIssue[] =>
  path.includes('{registration}') && normaliseRegistration(registration) === undefined
    ? [INVALID_REGISTRATION_ISSUE]
    : [];

interface ReadDate {
  readonly date?: LondonDate;
  readonly issues: readonly ParameterIssue[];
}

/**
 * Reads the query parameter `date` as the row's `date` prescribes; ignores it without one. It has no schema: the schema library
 * would add 6 ms to the cold start of the lookups that accept it.
 */
const readDate = ({ date: rule }: Row, rawQueryString: unknown): ReadDate => {
  const sent = new URLSearchParams(typeof rawQueryString === 'string' ? rawQueryString : '');
  const [date, ...more] = sent.getAll('date');
  if (rule === undefined || date === undefined) return { issues: [] };
  const wrong = (detail: string): ReadDate => ({ issues: [{ parameter: 'date', detail }] });
  if (rule !== 'accepted') return wrong(rule.rejected);
  if (more.length > 0) return wrong(GIVEN_TWICE);
  return isAnswerableDate(date) ? { date, issues: [] } : wrong(`must be ${ANSWERABLE_DATE}`);
};

/**
 * Reads path, query, headers and the parsed body, and rejects them with all their issues together.
 * @throws INVALID_REGISTRATION when the registration in the path is the only issue, otherwise VALIDATION_FAILED
 */
export const validation = (row: ServedEndpoint, input?: Input): InboundMiddleware => ({
  before: (request) => {
    const { event, internal: context } = request;
    const ofPath = pathIssues(row, context.pathParameters);
    const { date, issues: ofDate } = readDate(row, event.rawQueryString);
    const { values, issues: ofInput } = input?.read(request, row) ?? { values: {}, issues: [] };
    const others = [...ofDate, ...ofInput];
    if (others.length > 0) throw validationFailed([...ofPath, ...others]);
    if (ofPath.length > 0) throw invalidRegistration();
    context.date = date;
    context.input = values;
  },
});
