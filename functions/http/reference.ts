import { referenceIssue } from '../../core/reference.ts';
import type { HttpRequest } from './request.ts';
import type { Input } from './validation.ts';

const HEADER = 'x-reference';

/** The registrations of a parsed body; undefined when the body is invalid. */
export const registrationsIn = (body: unknown): readonly unknown[] | undefined => {
  const { registrations } = (body ?? {}) as { readonly registrations?: unknown };
  return Array.isArray(registrations) ? registrations : undefined;
};

/** The registrations of a lookup as they were sent: in the path, or in the parsed body. */
const sentRegistrations = ({ event: { body }, context: { pathParameters } }: HttpRequest): string[] => {
  const sent = registrationsIn(body) ?? [pathParameters.registration];
  return sent.filter((text) => typeof text === 'string');
};

/** The input of a lookup, whose header `X-Reference` is checked too (docs/contract.md#reference). */
export const withReference = <Values extends object>({ query, read }: Input<Values>): Input<Values> => ({
  query,
  read: (request) => {
    const { values, issues } = read(request);
    const reference = request.context.headers[HEADER];
    const detail = reference === undefined ? undefined : referenceIssue(reference, sentRegistrations(request));
    return { values, issues: detail === undefined ? issues : [...issues, { parameter: 'X-Reference', detail }] };
  },
});

/** Adds the reference of a valid request, which the response repeats. */
export const reference = () => ({
  before: ({ context }: HttpRequest): void => {
    context.reference = context.headers[HEADER];
  },
});
