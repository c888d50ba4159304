/** The shapes that the content endpoints exchange: specification sections 2.6 and 4.4, contract.md "Content". */
import * as T from 'typebox';

const MAX_CONTENT_BYTES = 100_000;

/** JSON can smuggle in half a surrogate pair, which no database keeps as it was. */
const text = (options: { maxLength?: number; pattern?: string; description: string }) =>
  T.Refine(
    T.String(options),
    (value) => typeof value !== 'string' || value.isWellFormed(),
    () => 'must be well-formed Unicode',
  );

const fields = {
  title: text({ maxLength: 200, pattern: '\\S', description: 'a text of 1 to 200 characters that is not blank' }),
  content: T.Refine(
    text({
      maxLength: MAX_CONTENT_BYTES,
      pattern: '\\S',
      description: 'a text of 1 to 100,000 bytes of UTF-8 that is not blank',
    }),
    (value) => typeof value !== 'string' || Buffer.byteLength(value) <= MAX_CONTENT_BYTES,
    () => 'must not be over 100,000 bytes of UTF-8',
  ),
  domain: T.String({
    maxLength: 253,
    pattern: '^[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*$',
    description: 'letters, digits and hyphens in labels joined by dots',
  }),
  slug: T.String({
    maxLength: 200,
    pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
    description: 'lower-case letters and digits in groups joined by single hyphens',
  }),
  meta_description: text({ maxLength: 500, description: 'a text of at most 500 characters' }),
};

/** Set by the service; accepted in an update, where it is ignored whatever its value. */
const readOnly = {
  id: T.Unknown(),
  created_at: T.Unknown(),
  updated_at: T.Unknown(),
  version: T.Unknown(),
};

export const CreateContent = T.Object(
  { ...fields, meta_description: T.Optional(fields.meta_description) },
  { title: 'CreateContent', additionalProperties: false },
);

const creationFields = Object.keys(fields);

export const UpdateContent = T.Refine(
  T.Partial(T.Object({ ...fields, ...readOnly }), { title: 'UpdateContent', additionalProperties: false }),
  (value) => creationFields.some((field) => Object.hasOwn(value, field)),
  () => `must have at least one of ${creationFields.join(', ')}`,
);

export const ContentItemSchema = T.Object(
  {
    id: T.String(),
    title: T.String(),
    content: T.String(),
    domain: T.String(),
    slug: T.String(),
    meta_description: T.String(),
    created_at: T.String({ format: 'date-time' }),
    updated_at: T.String({ format: 'date-time' }),
    version: T.Integer({ minimum: 1, description: 'Raised by every update' }),
  },
  { title: 'ContentItem' },
);

export const ContentPage = T.Object(
  {
    items: T.Array(ContentItemSchema, { description: 'The last to join the list first' }),
    total: T.Integer({ minimum: 0, description: 'Items that match the filter, exactly' }),
    limit: T.Integer({ minimum: 1, maximum: 100 }),
    offset: T.Integer({ minimum: 0 }),
  },
  { title: 'ContentPage' },
);

export const ContentQuery = T.Object(
  {
    domain: T.Optional(fields.domain),
    slug: T.Optional(fields.slug),
    limit: T.Optional(T.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Items in a page' })),
    offset: T.Optional(T.Integer({ minimum: 0, default: 0, description: 'Items to skip' })),
  },
  { dependentRequired: { slug: ['domain'] } },
);

export const IdempotencyKeyHeader = T.String({
  maxLength: 255,
  pattern: '\\S',
  description: 'a text of 1 to 255 characters, new for each new item',
});
