/**
 * Reads and validates query, headers and body by the schemas of an endpoint. This file imports the schema library, so
 * the bundle of an endpoint without an `input.ts` must not contain it.
 */
import type { Static, TObject, TSchema } from 'typebox';
import type { ParameterIssue, PointerIssue, ValidationIssue } from '../../core/problems.ts';
import { validationIssues } from '../../core/schemas/validation-issues.ts';
import type { RequestContext } from './request.ts';
import { GIVEN_TWICE, type Input } from './validation.ts';

/** The query, the headers or the body as they were read, and what is wrong with them. */
type InputPart = { readonly value: unknown; readonly issues: readonly ValidationIssue[] };

const toParameterIssues = (issues: readonly PointerIssue[]): ParameterIssue[] =>
  issues.map(({ pointer, detail }) => ({ parameter: pointer.slice(1), detail }));

const DIGITS = /^\d+$/;
const NEGATIVE = /^-0*[1-9]\d*$/;

/** The integer in decimal digits, clamped to the safe integers; undefined for any other string. */
const parseInteger = (text: string): number | undefined => {
  if (DIGITS.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  return NEGATIVE.test(text) ? Math.max(Number(text), Number.MIN_SAFE_INTEGER) : undefined;
};

const readQuery = (schema: TObject, query: string): InputPart => {
  const sent = new URLSearchParams(query);
  const value: Record<string, unknown> = {};
  const issues: ParameterIssue[] = [];
  for (const [name, property] of Object.entries(schema.properties)) {
    const [first, ...more] = sent.getAll(name);
    if (first === undefined) continue;
    const { type }: { readonly type?: string } = property;
    const read = type === 'integer' ? parseInteger(first) : first;
    if (more.length > 0) issues.push({ parameter: name, detail: GIVEN_TWICE });
    else if (read === undefined) issues.push({ parameter: name, detail: 'must be an integer in decimal digits' });
    else value[name] = read;
  }
  // A parameter that was sent but could not be read must not be called missing too.
  const unread = new Set(issues.map(({ parameter }) => parameter));
  const others = toParameterIssues(validationIssues(schema, value)).filter(({ parameter }) => !unread.has(parameter));
  return { value, issues: [...issues, ...others] };
};

const readHeaders = (schema: TObject, sent: RequestContext['headers']): InputPart => {
  const headers = Object.keys(schema.properties).map((name) => [name, sent[name.toLowerCase()]]);
  const value = Object.fromEntries(headers.filter(([, text]) => text !== undefined));
  return { value, issues: toParameterIssues(validationIssues(schema, value)) };
};

export interface InputSchemas {
  readonly query?: TObject;
  readonly headers?: TObject;
  readonly body?: TSchema;
}

type ValuesOf<Schemas extends InputSchemas> = {
  readonly [Part in keyof Schemas]: Schemas[Part] extends TSchema ? Static<Schemas[Part]> : undefined;
};

/**
 * The input of an endpoint: how it is read, and the schemas for its document.
 * @example export const input = defineInput({ query: ContentQuery });
 */
export const defineInput = <const Schemas extends InputSchemas>(
  schemas: Schemas,
): Input<ValuesOf<Schemas>> & { readonly schemas: Schemas } => ({
  schemas,
  query: Object.keys(schemas.query?.properties ?? {}),
  read: ({ event: { body }, context: { query, headers } }) => {
    const parts = {
      ...(schemas.query && { query: readQuery(schemas.query, query) }),
      ...(schemas.headers && { headers: readHeaders(schemas.headers, headers) }),
      ...(schemas.body && { body: { value: body, issues: validationIssues(schemas.body, body) } }),
    };
    return {
      values: Object.fromEntries(Object.entries(parts).map(([name, { value }]) => [name, value])) as ValuesOf<Schemas>,
      issues: Object.values(parts).flatMap(({ issues }) => issues),
    };
  },
});
