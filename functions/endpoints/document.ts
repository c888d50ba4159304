/** The type of an endpoint's document, and what several documents share. No function bundles this file. */
import type { TObject, TSchema } from 'typebox';
import * as T from 'typebox';
import { MAX_BULK_SIZE } from '../../core/access/plans.ts';
import { REFERENCE } from '../../core/reference.ts';
import type { RecordOf } from '../../core/schemas/record-schema.ts';
import { SEPARATORS } from '../../core/vehicles/registration.ts';
import type { InputSchemas } from '../http/input.ts';
import type { EndpointId } from './table.ts';

/** An example request. `npm run openapi` sends it and records the response. */
export interface ExampleRequest {
  /** Names the request and its response in the document. */
  readonly name: string;
  readonly summary: string;
  /** The content domains that the request's key is bound to; by default none. */
  readonly domains?: readonly string[];
  readonly request: {
    readonly path?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string | number>>;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
}

export const example = (
  name: string,
  summary: string,
  request: ExampleRequest['request'],
  domains?: ExampleRequest['domains'],
): ExampleRequest => ({ name, summary, request, ...(domains && { domains }) });

/** The documentation of an endpoint beyond its definition, with the schemas of its input. */
export interface EndpointDocument extends InputSchemas {
  /** A verb, by which generated clients name the operation. */
  readonly operationId: string;
  /** Markdown with details beyond the summary. */
  readonly description: string;
  readonly path?: TObject;
  readonly response?: TSchema;
  readonly success: string;
  /** The headers that only a successful response of this endpoint has. */
  readonly responseHeaders?: readonly ('Link' | 'Location' | 'ETag' | 'Idempotent-Replayed')[];
  /** OpenAPI links to the operations that take the `id` of the response, by name. */
  readonly links?: Readonly<Record<string, { readonly endpoint: EndpointId; readonly description: string }>>;
  /**
   * At least one must succeed. They are sent in this order, endpoint by endpoint as in table.ts, to a local service
   * with fresh sample data on 15 June 2026. Examples of one endpoint with the same `domains` share a key.
   */
  readonly examples: readonly ExampleRequest[];
}

/**
 * Returns the schema. Does not compile unless the schema accepts every value of the type.
 * @example const response = schemaOf<Answer>()(T.Object({ registration: T.String() }));
 */
export const schemaOf =
  <Answer>() =>
  <const Schema extends TSchema>(schema: Schema & ([Answer] extends [RecordOf<Schema>] ? unknown : never)): Schema =>
    schema;

/**
 * The schema of one of these values or any other string, so that generated clients accept values that are added later.
 * The static type has these values only: the service sends no others.
 */
export const openText = <Value extends string>(known: readonly Value[], description: string) =>
  T.Unsafe<Value>({ description, anyOf: [{ type: 'string', enum: [...known] }, { type: 'string' }] });

/** `openText` for codes, each with its meaning. */
export const openCode = <Code extends string>(meanings: Readonly<Record<Code, string>>, description?: string) => {
  const lines = Object.entries(meanings).map(([code, meaning]) => `- \`${code}\`: ${meaning}`);
  const title = [...(description ? [description] : []), 'Extensible enum:'].join('. ');
  return openText(Object.keys(meanings) as Code[], [title, ...lines].join('\n'));
};

/** ASCII letters and digits, `ÄÖÜÅäöüå` composed or decomposed, kelvin and ångström signs (`K` and `Å` in NFC). */
const LETTER = '[A-Za-z0-9ÄÖÜÅäöüå\\u212a\\u212b]|[AOUaou]\\u0308|[Aa]\\u030a';
const ASCII = '[B-NP-TV-Zb-np-tv-z0-9\\u212a]|[Aa](?![\\u0308\\u030a])|[OUou](?!\\u0308)';
const GAP = `${SEPARATORS.source}*`;

/** The rule of core/vehicles/registration.ts as far as JSON Schema can express it. A test compares the two. */
export const registrationSchema = T.String({
  maxLength: 32,
  pattern: `^(?=.{0,31}(?:${ASCII}))(?:${GAP}(?:${LETTER})){1,12}${GAP}$`,
  description: 'Registration number; case, spaces, hyphens, dots and invisible characters do not matter',
});

export const registrationAsSent = T.String({ description: 'The registration as it was sent' });

export const registrationPath = T.Object({ registration: registrationSchema });

/** The header that every lookup takes (docs/contract.md#reference). */
export const referenceHeader = T.Object({
  'X-Reference': T.Optional(
    T.String({
      pattern: REFERENCE.source,
      description:
        'Your own number of this request, such as the number of a case, which the response repeats. It must not contain a registration of the request',
    }),
  ),
});

export const contentIdPath = T.Object({ id: T.String({ description: 'Identifier of the content item' }) });

/** Examples of the errors that every lookup by registration has. */
export const registrationExamples: readonly ExampleRequest[] = [
  example('unknown', 'An unknown vehicle', { path: { registration: 'ZZ99ZZZ' } }),
  example('mistyped', 'An unknown vehicle, with the letter O for a zero', { path: { registration: 'AB1O CDE' } }),
  example('invalid', 'Text that cannot be a registration', { path: { registration: 'AB12_CDE' } }),
];

/** How many suppliers of the service are current, in an answer that says "not insured" or "unknown". */
export const sourcesOfAnswer = T.Optional(
  T.Object(
    {
      expected: T.Integer({ description: 'Number of suppliers that the service expects' }),
      current: T.Integer({ description: 'How many of them have sent their data in time' }),
    },
    {
      title: 'Sources',
      description:
        'How complete the data is behind "not insured" or "not found"; absent where the service does not know',
    },
  ),
);

/** An example for endpoints without a query parameter of their own. */
export const misplacedParameter = (path?: Readonly<Record<string, string>>): ExampleRequest =>
  example('misplacedParameter', 'A query parameter of another endpoint', {
    ...(path && { path }),
    query: { limit: 5 },
  });

/** The path of the last sample item, whose id is the same on every machine. */
export const sampleItemPath = { id: '6e657773-0000-4000-8000-000000000045' };

/** The largest bulk size that a plan can have, as texts have it. */
export const LARGEST_BULK = MAX_BULK_SIZE.toLocaleString('en-GB');

// Sentences that several descriptions share.
export const BULK_SIZE_RULE = `The maximum number of registrations depends on the plan and is at most ${LARGEST_BULK}; \`GET /v1/usage\` has it as \`registrationsPerBulk\`.`;

export const REGISTRATION_RULE =
  'A registration may be written in any case. Spaces, hyphens and dots of any kind are ignored, and so are invisible characters; O and 0, and I and 1, are different characters. The response repeats it unchanged.';
export const PAST_DAY_RULE =
  '`insured: false` for a past day only means that no policy known now covers it: it is no evidence of no cover.';
export const STATUS_RULE =
  'A key with the scope `vehicles:status` instead of `vehicles:read` gets only `registration`, `insured` and `status`, for today only: `date` is 403 `SCOPE_MISSING`.';
export const PRECONDITION_RULE =
  'With `If-Match`, only a version that it names is changed, and with `If-None-Match`, only one that it does not name; otherwise the response is 412. Other conditional headers are ignored.';
export const BODY_RULE =
  'The body is JSON of at most 1 MB, in UTF-8, declared as `application/json`; a field that is not described here is rejected.';
export const DOMAIN_RULE =
  'A key can be bound to domains; `GET /v1/usage` names them. To such a key content of any other domain does not exist (404), and it cannot create there or move items there (403 `DOMAIN_FORBIDDEN`).';
export const CONTENT_FIELD_RULES =
  'Text must be well-formed Unicode without control characters (except tab and line ends) and without U+FFFD; a title or content of only invisible characters counts as empty. Lengths count code points; `content` has at most 100,000 bytes of UTF-8. `domain` is stored in lower case. A slug is unique within its domain.';
