/** What a row declares of a request, read and validated: query, headers and body. */
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { TObject, TSchema } from 'typebox';
import { LARGEST_BULK_SIZE } from '../../core/access/plans.ts';
import { apiError, type ParameterIssue, type PointerIssue, type ValidationIssue } from '../../core/problems.ts';
import { validationIssues } from '../../core/schemas/validation-issues.ts';
import { declaresInput, type Endpoint } from '../endpoints.ts';
import { bodyChecks } from './body-checks.ts';
import type { InboundMiddleware, RequestContext } from './request-context.ts';

/** The part of a request that one schema describes, and its validation issues. */
interface Part {
  readonly value: unknown;
  readonly issues: readonly ValidationIssue[];
}

const asParameters = (issues: readonly PointerIssue[]): ParameterIssue[] =>
  issues.map(({ pointer, detail }) => ({ parameter: pointer.slice(1), detail }));

const DIGITS = /^\d+$/;
const NEGATIVE = /^-0*[1-9]\d*$/;

/** The integer that a text writes, to the largest exact one; undefined when it writes none. */
const integerOf = (text: string): number | undefined => {
  if (DIGITS.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  return NEGATIVE.test(text) ? Math.max(Number(text), Number.MIN_SAFE_INTEGER) : undefined;
};

const isInteger = (schema: TSchema | undefined): boolean =>
  (schema as { type?: string } | undefined)?.type === 'integer';

/** The parameters that the schema names, from the query as it was sent; unknown ones are ignored. */
const readQuery = (schema: TObject, rawQueryString: unknown): Part => {
  const sent = new URLSearchParams(typeof rawQueryString === 'string' ? rawQueryString : '');
  const value: Record<string, unknown> = {};
  const issues: ParameterIssue[] = [];
  for (const [name, property] of Object.entries(schema.properties)) {
    const [first, ...more] = sent.getAll(name);
    if (first === undefined) continue;
    const read = isInteger(property) ? integerOf(first) : first;
    if (more.length > 0) issues.push({ parameter: name, detail: 'must not be given more than once' });
    else if (read === undefined) issues.push({ parameter: name, detail: 'must be an integer in decimal digits' });
    else value[name] = read;
  }
  // A parameter that was sent but could not be read is not missing: the schema's issues about it are left out.
  const unread = new Set(issues.map(({ parameter }) => parameter));
  const others = asParameters(validationIssues(schema, value)).filter(({ parameter }) => !unread.has(parameter));
  return { value, issues: [...issues, ...others] };
};

const readHeaders = (schema: TObject, sent: RequestContext['headers']): Part => {
  const value = Object.fromEntries(
    Object.keys(schema.properties).flatMap((name) => {
      const text = sent[name.toLowerCase()];
      return text === undefined ? [] : [[name, text]];
    }),
  );
  return { value, issues: asParameters(validationIssues(schema, value)) };
};

/** Entries in the array of a body that the row marks as bulk; 0 when there is none. */
export const bulkLength = ({ bulk }: Pick<Endpoint, 'bulk'>, body: unknown): number => {
  const isRecord = typeof body === 'object' && body !== null;
  const entries = bulk !== undefined && isRecord ? (body as Record<string, unknown>)[bulk] : undefined;
  return Array.isArray(entries) ? entries.length : 0;
};

/** Rejects more entries than the admitted caller's plan allows (docs/contract.md#bulk). @throws BULK_TOO_LARGE */
export const bulkSizeLimit = (row: Endpoint): InboundMiddleware => ({
  before: ({ event: { caller, body } }) => {
    const [count, limit] = [bulkLength(row, body), caller?.plan.bulkSize ?? 0];
    if (row.bulk !== undefined && count > limit) throw apiError('BULK_TOO_LARGE', { field: row.bulk, count, limit });
  },
});

/** The issues of a body; a field `date` that the row does not have gets the row's reason. */
const bodyIssues = (schema: TSchema, { date: rule }: Endpoint, body: unknown): readonly PointerIssue[] => {
  const issues = validationIssues(schema, body);
  const hasDate = 'date' in ((schema as Partial<TObject>).properties ?? {});
  if (rule === undefined || rule === 'accepted' || hasDate) return issues;
  return issues.map((issue) => (issue.pointer === '/date' ? { ...issue, detail: rule.rejected } : issue));
};

/** A bulk request that no plan allows is not validated: `bulkSizeLimit` rejects it whatever its entries are. */
const readBody = (schema: TSchema, row: Endpoint, body: unknown): Part => ({
  value: body,
  issues: bulkLength(row, body) > LARGEST_BULK_SIZE ? [] : bodyIssues(schema, row, body),
});

/** Validates query, headers and body by the row's schemas. @throws VALIDATION_FAILED naming every issue, up to a bound */
const validation = (row: Endpoint): InboundMiddleware => ({
  before: ({ event: context }) => {
    const query = row.query && readQuery(row.query, context.event.rawQueryString);
    const headers = row.headers && readHeaders(row.headers, context.headers);
    const body = row.body && readBody(row.body, row, context.body);
    const issues = [query, headers, body].flatMap((part) => part?.issues ?? []);
    if (issues.length > 0) throw apiError('VALIDATION_FAILED', { issues });
    context.input = { query: query?.value, headers: headers?.value, body: body?.value };
  },
});

/** Replaces the text in `body` of its event, here the request context, by the value. */
const jsonBodyParser = () => httpJsonBodyParser({ disableContentTypeCheck: true }) as unknown as InboundMiddleware;

/**
 * The middlewares that read and validate what a row declares of its input, in their order; none for a row with only a path.
 * @throws BODY_TOO_LARGE, UNSUPPORTED_CONTENT_TYPE, MALFORMED_JSON, VALIDATION_FAILED, and the body parser's own errors
 */
export const inputMiddlewares = (row: Endpoint): readonly InboundMiddleware[] =>
  declaresInput(row) ? [...(row.body ? [bodyChecks(), jsonBodyParser()] : []), validation(row)] : [];
