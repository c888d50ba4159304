/** Rules of new and changed content, for requests, imports and the OpenAPI document. */
import * as T from 'typebox';
import { codePointOf } from '../code-point.ts';
import { isCursor, MAX_OFFSET, WRONG_AFTER } from './content-lists.ts';
import type { ContentFields } from './item.ts';
import { DEFAULT_LIMIT } from './page.ts';

const MAX_CONTENT_BYTES = 100_000;

/** An unpaired surrogate, a control character other than tab and line ends, or U+FFFD. */
const WRONG_CHARACTER = /\p{Surrogate}|(?![\t\n\r])\p{Cc}|\ufffd/u;

/** White space and other invisible characters, such as U+200B and the empty Braille pattern. */
const INVISIBLE = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u;

const wrongCharacter = (text: string): string | undefined => {
  const found = WRONG_CHARACTER.exec(text);
  if (found === null) return undefined;
  const position = [...text.slice(0, found.index)].length + 1;
  return `must not contain ${codePointOf(found[0])}, which is character ${position}`;
};

type TextOptions = T.TStringOptions & { readonly description: string };

/** Pattern of a text that must not be empty; `text` then also rejects invisible characters only. */
const NOT_BLANK = '\\S';

/** The schema of a text that people write. With `NOT_BLANK` it rejects a text of only invisible characters too. */
const text = (options: TextOptions) => {
  const findIssue = (value: string): string | undefined => {
    const isEmpty = options.pattern === NOT_BLANK && INVISIBLE.test(value);
    return wrongCharacter(value) ?? (isEmpty ? `must be ${options.description}` : undefined);
  };
  return T.Refine(
    T.String(options),
    (value) => typeof value !== 'string' || findIssue(value) === undefined,
    (value) => findIssue(value) ?? '',
  );
};

const fields = {
  title: text({ maxLength: 200, pattern: NOT_BLANK, description: 'a text of 1 to 200 characters that is not blank' }),
  content: T.Refine(
    text({
      maxLength: MAX_CONTENT_BYTES,
      pattern: NOT_BLANK,
      description: 'a text of 1 to 100,000 bytes of UTF-8 that is not blank',
    }),
    (value) => typeof value !== 'string' || Buffer.byteLength(value) <= MAX_CONTENT_BYTES,
    (value) => `must be at most 100,000 bytes of UTF-8, not ${Buffer.byteLength(value)}`,
  ),
  domain: T.String({
    maxLength: 253,
    pattern: '^[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*$',
    description: 'letters, digits and hyphens in labels joined by dots, at most 253 characters',
  }),
  slug: T.String({
    maxLength: 200,
    pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
    description: 'lower-case letters and digits in groups joined by single hyphens, at most 200 characters',
  }),
  meta_description: text({ maxLength: 500, description: 'a text of at most 500 characters' }),
} satisfies Record<keyof ContentFields, T.TSchema>;

/** The service sets these. An update ignores them, whatever their value. */
const readOnly = { id: T.Unknown(), created_at: T.Unknown(), updated_at: T.Unknown(), version: T.Unknown() };

export const CreateContent = T.Object(
  { ...fields, meta_description: T.Optional(fields.meta_description) },
  { title: 'CreateContent', additionalProperties: false },
);

const creationFields = Object.keys(fields) as (keyof ContentFields)[];

export const UpdateContent = T.Refine(
  T.Partial(T.Object({ ...fields, ...readOnly }), { title: 'UpdateContent', additionalProperties: false }),
  (value) => creationFields.some((field) => Object.hasOwn(value, field)),
  () => `must have at least one of ${creationFields.join(', ')}`,
);

/** The schema of a parameter that must not be sent beside `after`: no value fits it. */
const notBesideAfter = T.Optional(
  T.Refine(
    T.Unknown(),
    () => false,
    () => 'must not be given with `after`',
  ),
);

export const ContentQuery = T.Object(
  {
    domain: T.Optional(fields.domain),
    slug: T.Optional(fields.slug),
    limit: T.Optional(T.Integer({ minimum: 1, maximum: 100, default: DEFAULT_LIMIT, description: 'Items in a page' })),
    offset: T.Optional(
      T.Refine(
        T.Integer({ minimum: 0, maximum: MAX_OFFSET, default: 0, description: 'Items to skip' }),
        (value) => !(value > MAX_OFFSET),
        () => `must be at most ${MAX_OFFSET}; read further pages with \`after\`, which is \`next\` of the page before`,
      ),
    ),
    after: T.Optional(
      T.Refine(
        T.String({ description: '`next` of the page before; not with `offset` or `slug`' }),
        isCursor,
        () => WRONG_AFTER,
      ),
    ),
  },
  {
    dependentRequired: { slug: ['domain'] },
    dependentSchemas: { after: T.Object({ offset: notBesideAfter, slug: notBesideAfter }) },
  },
);

export const IdempotencyKeyHeaders = T.Object({
  'Idempotency-Key': T.Optional(
    T.String({ maxLength: 255, pattern: '\\S', description: 'a text of 1 to 255 characters, new for each new item' }),
  ),
});

export const PreconditionHeaders = T.Object({
  'If-Match': T.Optional(T.String({ description: 'Change the item only if its version is named here' })),
  'If-None-Match': T.Optional(T.String({ description: 'Change the item only if its version is not named here' })),
});

export type Preconditions = T.Static<typeof PreconditionHeaders>;

export const newFields = (body: T.Static<typeof CreateContent>): ContentFields => {
  const { title, content, domain, slug, meta_description = '' } = body;
  return { title, content, domain: domain.toLowerCase(), slug, meta_description };
};

export const changedFields = (body: T.Static<typeof UpdateContent>): Partial<ContentFields> => {
  const sent = creationFields.filter((field) => body[field] !== undefined);
  const changes: Partial<ContentFields> = Object.fromEntries(sent.map((field) => [field, body[field]]));
  return changes.domain === undefined ? changes : { ...changes, domain: changes.domain.toLowerCase() };
};
