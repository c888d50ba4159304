import * as T from 'typebox';
import { type ContentItem, isContentId } from '../../core/content/item.ts';
import { CreateContent, newFields } from '../../core/content/schemas.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { validationIssues } from '../../core/schemas/validation-issues.ts';
import { type CommandContext, tableName } from '../deployment/deployment.ts';
import type { FileCommand, FileRun } from '../files/file-command.ts';
import type { Row } from '../files/rows.ts';
import { inTurns } from '../files/staging.ts';
import { contentImport, fitsOneTransaction, type ImportedItem } from './content-import.ts';
import { asNumber, type FieldChecks, fieldChecks } from './field-checks.ts';

/** Milliseconds for one transaction's items, including retries. */
const TRANSACTION_TIMEOUT_MS = 30_000;

const COLUMNS = {
  required: ['title', 'content', 'domain', 'slug'],
  optional: ['meta_description', 'id', 'created_at', 'updated_at', 'version'],
};

const rule = (isValid: (value: unknown) => boolean, issue: string) =>
  T.Optional(T.Refine(T.Unknown(), isValid, () => issue));

/** The fields that the service sets on items that are created by request. Timestamps are checked when they are read. */
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
const asGiven = ({ given: text, fields }: Row): Row['fields'] => {
  if (typeof text === 'string') return fields;
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

/** The first line of the file with each id and each slug. */
type Claims = Map<string, number>;

const slugClaim = ({ domain, slug }: ImportedItem): string => `slug ${domain} ${slug}`;
const idClaim = (id: unknown): string => `id ${id}`;

const repeats = (what: string, other: number | undefined): string[] =>
  other === undefined ? [] : [`${what} is on line ${other} too; an item may be on one line of a file only`];

/** @returns the earlier line that has this id or slug, if one has */
const claim = (claims: Claims, key: string, line: number): number | undefined => {
  const first = claims.get(key) ?? line;
  claims.set(key, first);
  return first === line ? undefined : first;
};

/** The reasons why an earlier row of the file excludes this one. */
const findRepeats = (item: ImportedItem, line: number, claims: Claims): string[] => [
  ...repeats('this slug of this domain', claim(claims, slugClaim(item), line)),
  ...(item.id === undefined ? [] : repeats('this id', claim(claims, idClaim(item.id), line))),
];

/** One item from its row, checked like a request to create it. */
const readContentRow = (row: Row, now: Date, claims: Claims): ImportedItem | readonly string[] => {
  if (row.unreadable !== undefined) return [`the row ${row.unreadable}`];
  if (row.issue !== undefined) return [row.issue];
  const check = fieldChecks({ now, dates: 'iso', ifNewer: false });
  const fields = check.object('', asGiven(row), Object.keys(ContentRow.properties));
  for (const { pointer, detail } of validationIssues(ContentRow, fields)) check.issue(pointer.slice(1), detail);
  const stamps = readTimestamps(check, fields);
  if (check.reasons.length > 0) return check.reasons;
  const given = fields as T.Static<typeof CreateContent> & Partial<ContentItem>;
  const record: ImportedItem = { ...given, ...newFields(given), ...stamps };
  const reasons = findRepeats(record, row.line, claims);
  return reasons.length > 0 ? reasons : record;
};

/** The items of the rows, with their lines, in batches of one transaction. Rejected rows are staged. */
async function* readBatches({ staged, counts, options }: FileRun, claims: Claims, onRows: () => void) {
  let batch: { readonly item: ImportedItem; readonly line: number }[] = [];
  for await (const row of inTurns(staged.rows(), onRows)) {
    counts.read += 1;
    const item = readContentRow(row, options.now, claims);
    if ('length' in item) {
      staged.reject(row.line, item);
      counts.rejected += 1;
      continue;
    }
    const next = { item, line: row.line };
    if (batch.length > 0 && !fitsOneTransaction([...batch, next].map((one) => one.item))) {
      yield batch;
      batch = [];
    }
    batch.push(next);
  }
  if (batch.length > 0) yield batch;
}

const writeContent = async (run: FileRun, onRows: () => void, context: CommandContext): Promise<void> => {
  const { deployment, signal } = context;
  const { staged, counts, options } = run;
  const claims: Claims = new Map();
  for (const { fields, line } of staged.rows()) claim(claims, idClaim(fields.id), line);
  // A row without an id must not change the item of another row, which names the item by its id.
  const skipReason = (row: ImportedItem, stored: ContentItem) =>
    row.id === undefined ? repeats('this item', claims.get(idClaim(stored.id)))[0] : undefined;
  const moved = options.dryRun ? new Map() : undefined;
  const items = contentImport(deployment.db, tableName(deployment, 'content'), skipReason, moved);
  // Batches are written one at a time. A row may take a slug that an earlier row has freed, and concurrent transactions
  // would conflict on the counters of lists.
  for await (const batch of readBatches(run, claims, onRows)) {
    if (signal.aborted) return;
    const rows = batch.map(({ item }) => item);
    const deadline = deadlineIn(TRANSACTION_TIMEOUT_MS);
    const results = await items.importBatch(rows, { now: options.now, deadline });
    for (const [index, { line }] of batch.entries()) {
      const result = results[index];
      if (typeof result === 'string') counts[result] += 1;
      if (typeof result !== 'object') continue;
      const holder = result.owner === undefined ? undefined : claims.get(idClaim(result.owner));
      const which = holder === undefined ? '' : `; put line ${holder} before this one`;
      staged.reject(line, [`${result.reason}${which}`]);
      counts.rejected += 1;
    }
  }
};

export const CONTENT_FILE = {
  columns: COLUMNS,
  hasLines: true,
  rowHandling: { kind: 'items', write: writeContent },
} satisfies Partial<FileCommand>;
