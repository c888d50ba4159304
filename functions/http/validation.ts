import { type ApiError, type ParameterIssue, validationFailed } from '../../core/problems.ts';
import { ANSWERABLE_DATE, isAnswerableDate, type LondonDate } from '../../core/runtime/clock.ts';
import type { ServedEndpoint } from './endpoint-definition.ts';
import type { InboundMiddleware, Input, RequestContext } from './request.ts';

/** The issue of a query parameter that is given twice. */
export const GIVEN_TWICE = 'must not be given more than once';

type ReadDate = { readonly date?: LondonDate; readonly issues: readonly ParameterIssue[] };

/**
 * Reads the query parameter `date` by the row's rule; ignores it without a rule. Has no schema: the schema library
 * would add 6 ms to the cold start of the lookups that accept it.
 */
const readDate = ({ date: rule }: ServedEndpoint, query: string): ReadDate => {
  const [date, ...more] = new URLSearchParams(query).getAll('date');
  if (rule === undefined || date === undefined) return { issues: [] };
  const wrong = (detail: string): ReadDate => ({ issues: [{ parameter: 'date', detail }] });
  if (rule !== 'accepted') return wrong(rule.rejected);
  if (more.length > 0) return wrong(GIVEN_TWICE);
  return isAnswerableDate(date) ? { date, issues: [] } : wrong(`must be ${ANSWERABLE_DATE}`);
};

/** What an endpoint reads besides the query parameter `date`. */
export interface RequestParts<Values extends object = object> {
  /** The error of a path whose parameters are invalid. */
  readonly pathError?: (parameters: RequestContext['pathParameters']) => ApiError | undefined;
  readonly input?: Input<Values>;
}

/**
 * Reads path, query, headers and the parsed body, and rejects them with all issues together.
 * @throws the path's error when it is the only one, otherwise VALIDATION_FAILED
 */
export const validation = (endpoint: ServedEndpoint, { pathError, input }: RequestParts): InboundMiddleware => ({
  before: (request) => {
    const { internal: context } = request;
    const pathProblem = pathError?.(context.pathParameters);
    const { date, issues: dateIssues } = readDate(endpoint, context.query);
    const { values, issues: inputIssues } = input?.read(request, endpoint) ?? { values: {}, issues: [] };
    const others = [...dateIssues, ...inputIssues];
    if (others.length > 0) throw validationFailed([...(pathProblem?.issues ?? []), ...others]);
    if (pathProblem !== undefined) throw pathProblem;
    context.date = date;
    context.input = values;
  },
});
