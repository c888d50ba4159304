import * as T from 'typebox';
import { type ContentItem, isContentId } from '../../core/content/item.ts';
import { CreateContent, newFields } from '../../core/content/schemas.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { validationIssues } from '../../core/schemas/validation-issues.ts';
import { contentImport } from '../content/content-import.ts';
import { fitsOneTransaction, type ImportedItem } from '../content/imported-item.ts';
import { type ImportKind, type RowContext, type RowResult, recordPerRow } from '../file-command/command-types.ts';
import type { Claims } from '../file-command/staged-rows.ts';
import type { Columns } from '../files/csv-header.ts';
import type { Row } from '../files/row.ts';
import { asNumber, type FieldChecks, fieldChecks } from './field-checks.ts';

/** Milliseconds for one transaction's items, including retries. */
const TRANSACTION_TIMEOUT_MS = 30_000;

const COLUMNS: Columns = {
  required: ['title', 'content', 'domain', 'slug'],
  optional: ['meta_description', 'id', 'created_at', 'updated_at', 'version'],
};

const rule = (isValid: (value: unknown) => boolean, issue: string) =>
  T.Optional(T.Refine(T.Unknown(), isValid, () => issue));

/** What the service sets. Timestamps are checked as they are read. */
const setByService = {
  id: rule(
    (id) => typeof id === 'string' && isContentId(id),
    'must be an id as this service gives them, a UUID in lower case',
  ),
  created_at: T.Optional(T.Unknown()),
  updated_at: T.Optional(T.Unknown()),
  version: rule((version) => Number.isSafeInteger(version) && Number(version) >= 1, 'must be a whole number from 1'),
};

const ContentRow = T.Object({ ...CreateContent.properties, ...setByService });

/** A CSV row has a cell for every column: blank cells of optional columns count as absent. */
const asGiven = ({ isJson, fields }: Row): Row['fields'] => {
  if (isJson) return fields;
  const isGiven = ([name, value]: [string, unknown]) => COLUMNS.required.includes(name) || value !== '';
  const given = Object.fromEntries(Object.entries(fields).filter(isGiven));
  return { ...given, ...(given.version !== undefined && { version: asNumber(given.version) }) };
};

const readTimestamps = (check: FieldChecks, { created_at, updated_at }: Row['fields']) => {
  const stamps = {
    ...(created_at === undefined ? {} : { created_at: check.timestamp('created_at', created_at) }),
    ...(updated_at === undefined ? {} : { updated_at: check.timestamp('updated_at', updated_at) }),
  };
  if (stamps.created_at && stamps.updated_at && stamps.updated_at < stamps.created_at) {
    check.issue('updated_at', 'must not be before created_at');
  }
  return stamps;
};

const slugOf = ({ domain, slug }: ImportedItem): string => `slug ${domain} ${slug}`;
const nameOf = ({ domain, slug }: ImportedItem): string => `name ${domain} ${slug}`;
const idOf = (id: string): string => `id ${id}`;

const repeats = (what: string, earlier: number | undefined): string[] =>
  earlier === undefined ? [] : [`${what} is on line ${earlier} already; an item may be on one line of a file only`];

/** Why an earlier row of the file excludes this one. */
const findRepeats = (item: ImportedItem, line: number, { claim }: Claims): string[] => {
  const earlier = claim(slugOf(item), line);
  if (earlier === undefined && item.id === undefined) claim(nameOf(item), line);
  return [
    ...repeats('this slug of this domain', earlier),
    ...(item.id === undefined ? [] : repeats('this id', claim(idOf(item.id), line))),
  ];
};

/** Why an item must stay: an earlier row changes it, by its id or its slug. */
const skipReasonOf = (item: ImportedItem, stored: ContentItem, { lineOf }: Claims): string | undefined => {
  const find = (key: string) => lineOf(key) ?? Number.POSITIVE_INFINITY;
  const [byId, byName] = [find(idOf(stored.id)), find(nameOf(stored))];
  const [own, other] = item.id === undefined ? [byName, byId] : [byId, byName];
  return repeats('this item', other < own ? other : undefined)[0];
};

/** One item from its row, checked like a request to create it. */
const readContentRow = (row: Row, context: RowContext): RowResult<ImportedItem> => {
  const check = fieldChecks(context);
  const fields = check.object('', asGiven(row), Object.keys(ContentRow.properties));
  for (const { pointer, detail } of validationIssues(ContentRow, fields)) check.issue(pointer.slice(1), detail);
  const stamps = readTimestamps(check, fields);
  if (check.reasons.length > 0) return { reasons: check.reasons };
  const { id, version } = fields as Pick<ImportedItem, 'id' | 'version'>;
  const given = { ...(id !== undefined && { id }), ...(version !== undefined && { version }) };
  const record = { ...newFields(fields as T.Static<typeof CreateContent>), ...stamps, ...given };
  const reasons = findRepeats(record, row.line, context.claims);
  return reasons.length > 0 ? { reasons } : { record };
};

/** Content items in the order of the file: CSV or NDJSON, an item per row. */
export const content: ImportKind<ImportedItem> = {
  noun: 'content',
  columns: COLUMNS,
  keyOf: () => undefined,
  read: (group, context) => recordPerRow(group, (row) => readContentRow(row, context)),
  writing: ({ deployment: { db }, table, started: now, claims, dryRun, movedSlugs }) => {
    const skipReason = (row: ImportedItem, stored: ContentItem) => skipReasonOf(row, stored, claims);
    const items = contentImport(db, table, skipReason, dryRun ? movedSlugs : undefined);
    return {
      // One row may take a slug that another one has freed, and transactions would meet on counters.
      concurrency: 1,
      fits: fitsOneTransaction,
      write: async (rows, _isStopped, settle) => {
        const results = await items.importBatch(rows, { now, deadline: deadlineIn(TRANSACTION_TIMEOUT_MS) });
        for (const [index, result] of results.entries()) {
          const isTaken = typeof result !== 'string' && result.owner !== undefined;
          settle(index, isTaken ? { ...result, after: idOf(result.owner) } : result);
        }
      },
    };
  },
};
