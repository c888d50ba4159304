/** What the documents of endpoints share: their type, and the schemas and texts that several have. No function bundles it. */
import type { TObject, TSchema, TSchemaOptions } from 'typebox';
import * as T from 'typebox';
import type { RecordOf } from '../../core/schemas/record.ts';
import { AnswerableDate } from '../../core/vehicles/schemas.ts';
import type { InputSchemas } from '../http/input.ts';
import type { EndpointId } from './table.ts';

/** What readers learn of an endpoint beyond its row. The schemas of its input are among the fields. */
export interface EndpointDocument extends InputSchemas {
  /** What the operation does beyond its summary; Markdown. */
  readonly description: string;
  /** The parameters in the path. */
  readonly path?: TObject;
  readonly response?: TSchema;
  /** The headers that a successful response adds to those of every response. */
  readonly responseHeaders?: readonly ('Link' | 'Location' | 'ETag')[];
  /** OpenAPI links to the operations that take the `id` of the response, by name. */
  readonly links?: Readonly<Record<string, { readonly endpoint: EndpointId; readonly description: string }>>;
}

/**
 * A schema that fits every value of a type; any other does not compile.
 * @example
 * const response = schemaOf<Answer>()(T.Object({ registration: T.String() }));
 */
export const schemaOf =
  <Answer>() =>
  <const Schema extends TSchema>(schema: Schema & ([Answer] extends [RecordOf<Schema>] ? unknown : never)): Schema =>
    schema;

/**
 * A code in a response: a known code or any other string, so that clients generated from today's document accept later codes.
 * The static type is the known codes only: no others are sent.
 */
export const openCode = <const Code extends string>(codes: readonly Code[], options: TSchemaOptions = {}) =>
  T.Unsafe<Code>({ ...options, anyOf: [{ enum: [...codes] }, { type: 'string' }] });

/** Letters that normalise to one of `ÄÖÜÅäöüå`, however they are composed, and the signs that do to `K` and `Å`. */
const LETTER = '[A-Za-z0-9ÄÖÜÅäöüå\\u212a\\u212b]|[AOUaou]\\u0308|[Aa]\\u030a';
const ASCII = '[B-NP-TV-Zb-np-tv-z0-9\\u212a]|[Aa](?![\\u0308\\u030a])|[OUou](?!\\u0308)';
const SEPARATORS = '[ .\\u00b7\\u0387-]*';

/** The rule of registration.ts as far as JSON Schema can express it, for the document only; a test compares the two. */
export const Registration = T.String({
  maxLength: 32,
  pattern: `^(?=.{0,31}(?:${ASCII}))(?:${SEPARATORS}(?:${LETTER})){1,12}${SEPARATORS}$`,
  description: 'Registration number; case, spaces, hyphens and dots do not matter',
});

export const registrationPath = T.Object({ registration: Registration });

export const contentIdPath = T.Object({ id: T.String({ description: 'Identifier of the content item' }) });

/** The query of a row whose `date` is accepted; its function reads it without a schema. */
export const dateQuery = T.Object({ date: T.Optional(AnswerableDate) });

export const REGISTRATION =
  'A registration may be written in any case and with spaces, hyphens, dots and middle dots, which are ignored; O and 0, and I and 1, are different characters. The response repeats it unchanged.';
export const PAST_DAY =
  '`insured: false` for a past day only means that no policy known now covers it: it is no evidence of no cover.';
export const IF_MATCH = 'With `If-Match`, only a version that it names is changed; otherwise the response is 412.';
export const BODY =
  'The body is JSON of at most 1 MB, in UTF-8, declared as `application/json`; a field that is not described here is rejected.';
export const DOMAINS =
  'A key can be bound to domains; `GET /v1/usage` names them. To such a key content of any other domain does not exist (404), and it cannot create there or move items there (403 `DOMAIN_FORBIDDEN`).';
export const CONTENT_FIELDS =
  'Text must be well-formed Unicode without control characters (except tab and line ends) and without U+FFFD; a title or content of only invisible characters counts as empty. Lengths count code points, except that of `content`: at most 100,000 bytes of UTF-8. `domain` is stored in lower case. A slug is unique within its domain.';
