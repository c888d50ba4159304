import type { TObject, TSchema } from 'typebox';
import type { Endpoint } from '../endpoints.ts';
import type { Fault } from '../runtime/refusal.ts';
import { faultsIn, type Located } from '../runtime/schema-faults.ts';
import type { RawInput } from './api-request.ts';
import type { Flow } from './flow.ts';
import { ValidationFailed } from './input-refusals.ts';
import { readJsonBody } from './json-body.ts';

type ParameterFault = Extract<Fault, { readonly parameter: string }>;

const asParameters = (faults: readonly Located[]): ParameterFault[] =>
  faults.map(({ pointer, detail }) => ({ parameter: pointer.slice(1), detail }));

const DIGITS = /^\d+$/;

/** The number that digits write. Beyond the largest exact one it stays there: no list is that long. */
const integerOf = (digits: string): number => Math.min(Number(digits), Number.MAX_SAFE_INTEGER);

const isInteger = (schema: TSchema | undefined): boolean =>
  (schema as { type?: string } | undefined)?.type === 'integer';

/** The parameters that the schema names, from the query as it was sent; unknown ones are ignored. */
const readQuery = (schema: TObject, rawQueryString: string): { value: Record<string, unknown>; faults: Fault[] } => {
  const sent = new URLSearchParams(rawQueryString);
  const value: Record<string, unknown> = {};
  const faults: ParameterFault[] = [];
  for (const [name, property] of Object.entries(schema.properties)) {
    const [first, ...more] = sent.getAll(name);
    if (first === undefined) continue;
    if (more.length > 0) faults.push({ parameter: name, detail: 'must not be given more than once' });
    else value[name] = isInteger(property) && DIGITS.test(first) ? integerOf(first) : first;
  }
  // What was given twice is not missing, whatever the schema makes of its absence.
  const repeated = new Set(faults.map(({ parameter }) => parameter));
  const others = asParameters(faultsIn(schema, value)).filter(({ parameter }) => !repeated.has(parameter));
  return { value, faults: [...faults, ...others] };
};

const readHeaders = (schema: TObject, sent: Flow['headers']): { value: Record<string, unknown>; faults: Fault[] } => {
  const value = Object.fromEntries(
    Object.keys(schema.properties).flatMap((name) => {
      const text = sent[name.toLowerCase()];
      return text === undefined ? [] : [[name, text]];
    }),
  );
  return { value, faults: asParameters(faultsIn(schema, value)) };
};

/**
 * Everything that a row declares of a request, checked against the row's schemas.
 * @throws ValidationFailed naming every fault; MalformedJson, UnsupportedContentType, BodyTooLarge for the body as a whole
 */
export const validatedInput = (row: Endpoint, flow: Flow): RawInput => {
  const rawQueryString = flow.event.rawQueryString;
  const query = row.query && readQuery(row.query, typeof rawQueryString === 'string' ? rawQueryString : '');
  const headers = row.headers && readHeaders(row.headers, flow.headers);
  const body = row.body && readJsonBody(flow);
  const faults = [...(query?.faults ?? []), ...(headers?.faults ?? []), ...(row.body ? faultsIn(row.body, body) : [])];
  if (faults.length > 0) throw new ValidationFailed(faults);
  return { parameters: flow.pathParameters, query: query?.value, headers: headers?.value, body };
};
