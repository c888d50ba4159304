import { ApiError, type ParameterIssue, type ValidationIssue, validationFailed } from '../../core/problems.ts';
import type { HttpRequest, RequestContext } from './request.ts';

export const GIVEN_TWICE = 'must not be given more than once';

/** The input of an endpoint, besides its path. `defineInput` makes it from schemas. */
export interface Input<Values extends object = object> {
  readonly query: readonly string[];
  /** Reads query, headers and parsed body. The values have their declared type only if there is no issue. */
  readonly read: (request: HttpRequest) => { readonly values: Values; readonly issues: readonly ValidationIssue[] };
}

/** The input of an endpoint that takes nothing but its path. */
export const noInput: Input = { query: [], read: () => ({ values: {}, issues: [] }) };

/**
 * Every query parameter of the API. It is a list, because a function bundles only the input of its own endpoint. A test
 * compares the list with the inputs of all endpoints.
 */
export const QUERY_PARAMETERS: readonly string[] = ['after', 'date', 'domain', 'limit', 'offset', 'slug'];

/**
 * The issues of query parameters that another endpoint takes, or that are spelled in another case. If they were
 * ignored, `?Date=` would be answered for today. Names that the API does not know are ignored.
 */
const misplacedParameters = (query: string, ownParameters: readonly string[]): ParameterIssue[] => {
  if (query === '') return [];
  const others = [...new Set(new URLSearchParams(query).keys())].filter((name) => !ownParameters.includes(name));
  return others.flatMap((parameter) => {
    const name = parameter.toLowerCase();
    if (ownParameters.includes(name)) return [{ parameter, detail: `must be written "${name}"` }];
    if (!QUERY_PARAMETERS.includes(name)) return [];
    const taken = ownParameters.length === 0 ? 'takes no query parameters' : `takes ${ownParameters.join(', ')}`;
    return [{ parameter, detail: `is not a parameter of this endpoint, which ${taken}` }];
  });
};

/**
 * Reads the path parameters before `auth`, because `preload` needs them. Leaves an error to `validation`, which throws
 * it together with other issues.
 * @param read the values, or the error of invalid ones
 */
export const pathParameters = <Path extends object>(
  read: (parameters: RequestContext['pathParameters']) => Path | ApiError,
) => ({
  before: ({ context }: HttpRequest<Path>): void => {
    const values = read(context.pathParameters);
    if (values instanceof ApiError) context.pathError = values;
    else Object.assign(context, values);
  },
});

/**
 * Reads query, headers and the parsed body, and rejects them and the path with all issues together.
 * @throws the path's error when it is the only one, otherwise VALIDATION_FAILED
 */
export const validation = <Values extends object>(input: Input<Values>) => ({
  before: (request: HttpRequest<{ input: Values }>): void => {
    const { context } = request;
    const { pathError, query } = context;
    const { values, issues } = input.read(request);
    const others = [...misplacedParameters(query, input.query), ...issues];
    if (others.length > 0) throw validationFailed([...(pathError?.issues ?? []), ...others]);
    if (pathError !== undefined) throw pathError;
    context.input = values;
  },
});
