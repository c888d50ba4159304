import * as T from 'typebox';
import { isContentId } from '../../../../core/content/item.ts';
import { CreateContent, fieldsOf, newFields, type TextSchema } from '../../../../core/content/schemas.ts';
import { validationIssues } from '../../../../core/schemas/validation-issues.ts';
import type { ImportedItem } from '../../../content-maintenance/imported-item.ts';
import type { FileContext } from '../../file-command/file-command.ts';
import type { Columns } from '../../files/csv-header.ts';
import type { Row } from '../../files/row.ts';
import { type FieldChecks, fieldChecks } from '../records/field-checks.ts';
import type { RowResult } from '../records/record-per-row.ts';

/** The columns of a content CSV: one row per item. */
export const CONTENT_COLUMNS: Columns = {
  required: ['title', 'content', 'domain', 'slug'],
  optional: ['meta_description', 'id', 'created_at', 'updated_at', 'version'],
};

const CREATION_FIELDS = Object.keys(CreateContent.properties);
/** A text that was stored before, possibly by a version with fewer rules. */
const storedText: TextSchema = (options) =>
  T.Refine(
    T.String(options),
    (value) => typeof value !== 'string' || value.isWellFormed(),
    () => 'must be well-formed Unicode',
  );

const storedFields = fieldsOf(storedText);

/** The fields of an exported item, by the rules for stored texts. */
const StoredContent = T.Object(
  { ...storedFields, meta_description: T.Optional(storedFields.meta_description) },
  { additionalProperties: false },
);
const SET_BY_SERVICE = ['id', 'created_at', 'updated_at', 'version'];
const ALL_FIELDS = [...CREATION_FIELDS, ...SET_BY_SERVICE];

const pick = (fields: Row['fields'], names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(fields, name)).map((name) => [name, fields[name]]));

/** A CSV row has a cell for every column: blank cells of optional columns count as absent. */
const asGiven = ({ isJson, fields }: Row): Row['fields'] => {
  if (isJson) return fields;
  const isGiven = ([name, value]: [string, unknown]) => CONTENT_COLUMNS.required.includes(name) || value !== '';
  const given = Object.fromEntries(Object.entries(fields).filter(isGiven));
  const isNumber = typeof given.version === 'string' && /^\d{1,15}$/.test(given.version);
  return isNumber ? { ...given, version: Number(given.version) } : given;
};

const readId = (check: FieldChecks, id: unknown): string => {
  const isOurs = typeof id === 'string' && isContentId(id);
  if (!isOurs) check.issue('id', 'must be an id as this service gives them, a UUID in lower case');
  return isOurs ? id : '';
};

const readVersion = (check: FieldChecks, version: unknown): number => {
  const isVersion = typeof version === 'number' && Number.isSafeInteger(version) && version >= 1;
  if (!isVersion) check.issue('version', 'must be a whole number from 1');
  return isVersion ? version : 1;
};

/** Whether a row has everything that the service sets, as each row of an export has: its texts are stored already. */
const isExported = (fields: Row['fields']): boolean =>
  SET_BY_SERVICE.every((field) => Object.hasOwn(fields, field) && fields[field] !== '');

const checkSchema = (check: FieldChecks, fields: Row['fields'], creation: Record<string, unknown>): void => {
  const schema = isExported(fields) ? StoredContent : CreateContent;
  for (const { pointer, detail } of validationIssues(schema, creation)) check.issue(pointer.slice(1), detail);
};

const readSetByService = (check: FieldChecks, { id, created_at, updated_at, version }: Row['fields']) => {
  const stamps = {
    ...(created_at === undefined ? {} : { created_at: check.timestamp('created_at', created_at) }),
    ...(updated_at === undefined ? {} : { updated_at: check.timestamp('updated_at', updated_at) }),
  };
  if (stamps.created_at && stamps.updated_at && stamps.updated_at < stamps.created_at) {
    check.issue('updated_at', 'must not be before created_at');
  }
  return {
    ...stamps,
    ...(id === undefined ? {} : { id: readId(check, id) }),
    ...(version === undefined ? {} : { version: readVersion(check, version) }),
  };
};

/** One item from its row, checked as a request to create it would be; an export's texts as stored ones. */
export const readContentRow = (row: Row, context: FileContext): RowResult<ImportedItem> => {
  if (row.issues.length > 0) return { reasons: row.issues };
  const check = fieldChecks(context);
  const fields = check.object('', asGiven(row), ALL_FIELDS);
  const creation = pick(fields, CREATION_FIELDS);
  checkSchema(check, fields, creation);
  const setByService = readSetByService(check, fields);
  if (check.reasons.length > 0) return { reasons: check.reasons };
  return { record: { ...newFields(creation as T.Static<typeof CreateContent>), ...setByService } };
};
