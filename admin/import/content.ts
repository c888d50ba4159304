import * as T from 'typebox';
import type { GivenItem } from '../../core/content/content-table.ts';
import { type ContentItem, isContentId } from '../../core/content/item.ts';
import { CreateContent, newFields } from '../../core/content/schemas.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { validationIssues } from '../../core/schemas/validation-issues.ts';
import { type CommandContext, tableName } from '../deployment/deployment.ts';
import type { FileCommand, FileRun } from '../files/file-command.ts';
import type { Row } from '../files/rows.ts';
import { withPauses } from '../files/staging.ts';
import { inBatches, runConcurrently } from '../records/run-concurrently.ts';
import { contentImport, qualifiedSlug } from './content-import.ts';
import { asNumber, type FieldChecks, fieldChecks } from './field-checks.ts';

/** Milliseconds for one row or for the reads of a batch, including retries. */
const ROW_TIMEOUT_MS = 30_000;
/** Rows that are written at the same time. More would often meet on the counters of a list. */
const CONCURRENCY = 4;

/** Leaves room for every change that may come: DynamoDB's client takes whole numbers up to 2^53. */
const MAX_VERSION = 1e12;

const COLUMNS = {
  required: ['title', 'content', 'domain', 'slug'],
  optional: ['meta_description', 'id', 'created_at', 'updated_at', 'version'],
};

/** The fields of a creation. A row may also have those that the service otherwise sets. */
const CreatedFields = T.Object(CreateContent.properties);

/** A CSV row has a cell for every column: blank cells of optional columns count as absent. */
const asGiven = ({ given: text, fields }: Row): Row['fields'] => {
  if (typeof text === 'string') return fields;
  const isGiven = ([name, value]: [string, unknown]) => COLUMNS.required.includes(name) || value !== '';
  const given = Object.fromEntries(Object.entries(fields).filter(isGiven));
  return { ...given, ...(given.version !== undefined && { version: asNumber(given.version) }) };
};

/** Checks the fields that the service otherwise sets. @returns the timestamps in the form in which they are stored */
const readOwnFields = (check: FieldChecks, { id, created_at, updated_at, version }: Row['fields']) => {
  if (id !== undefined && !(typeof id === 'string' && isContentId(id))) {
    check.issue('id', 'must be an id as this service gives them, a UUID in lower case');
  }
  if (version !== undefined) check.wholeNumber('version', version, 1, MAX_VERSION);
  const stamps = {
    ...(created_at === undefined ? {} : { created_at: check.anyTimestamp('created_at', created_at) }),
    ...(updated_at === undefined ? {} : { updated_at: check.anyTimestamp('updated_at', updated_at) }),
  };
  if (stamps.created_at && stamps.updated_at && stamps.updated_at < stamps.created_at) {
    check.issue('updated_at', 'must not be before created_at');
  }
  return stamps;
};

/** The first line of the file with each id and each slug. */
type Claims = Map<string, number>;

const slugClaim = (item: GivenItem): string => `slug ${qualifiedSlug(item)}`;
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
const findRepeats = (item: GivenItem, line: number, claims: Claims): string[] => [
  ...repeats('this slug of this domain', claim(claims, slugClaim(item), line)),
  ...(item.id === undefined ? [] : repeats('this id', claim(claims, idClaim(item.id), line))),
];

/** One item from its row, checked like a request to create it. */
const readContentRow = (row: Row, now: Date, claims: Claims): GivenItem | readonly string[] => {
  if (row.unreadable !== undefined) return [`the row ${row.unreadable}`];
  if (row.issue !== undefined) return [row.issue];
  const check = fieldChecks({ now, dates: 'iso', ifNewer: false });
  const fields = check.object('', asGiven(row), [...COLUMNS.required, ...COLUMNS.optional]);
  for (const { pointer, detail } of validationIssues(CreatedFields, fields)) check.issue(pointer.slice(1), detail);
  const stamps = readOwnFields(check, fields);
  if (check.reasons.length > 0) return check.reasons;
  const given = fields as T.Static<typeof CreateContent> & Partial<ContentItem>;
  const record: GivenItem = { ...given, ...newFields(given), ...stamps };
  const reasons = findRepeats(record, row.line, claims);
  return reasons.length > 0 ? reasons : record;
};

/** Rows whose items are read together: two keys for each, and DynamoDB reads at most 100 keys in a request. */
const ROWS_READ_TOGETHER = 50;

/** The items of the rows, with their lines. Rejected rows are staged. */
async function* readItems({ staged, counts, options }: FileRun, claims: Claims, onRows: () => void) {
  const layout = staged.layout();
  const header = layout && `${layout.header}`;
  for await (const row of withPauses(staged.rows(), onRows)) {
    counts.read += 1;
    const isHeader = `${row.given}` === header;
    const item = isHeader ? ['the row names the columns again'] : readContentRow(row, options.now, claims);
    if ('length' in item) {
      staged.reject(row.line, item);
      counts.rejected += 1;
      continue;
    }
    yield { item, line: row.line };
  }
}

const DRY_RUN_NOTICE =
  'A dry run checks each row, and does not know which slugs will be free: the import may reject further rows.';

const writeContent = async (run: FileRun, onRows: () => void, context: CommandContext): Promise<void> => {
  const { deployment, signal } = context;
  const { staged, counts, options } = run;
  const { now, dryRun } = options;
  if (dryRun) context.notice(DRY_RUN_NOTICE);
  const claims: Claims = new Map();
  for (const { fields, line } of staged.rows()) claim(claims, idClaim(fields.id), line);
  const items = contentImport(deployment.db, tableName(deployment, 'content'), { dryRun });
  const isStopped = () => signal.aborted;
  for await (const batch of inBatches(readItems(run, claims, onRows), ROWS_READ_TOGETHER)) {
    if (isStopped()) return;
    const rows = batch.map(({ item }) => item);
    const stored = await items.readStored(rows, deadlineIn(ROW_TIMEOUT_MS));

    /** The line that names by its id the stored item which has the slug of another row. */
    const lineOfOwner = (item: GivenItem): number | undefined => {
      const owner = stored.get(qualifiedSlug(item));
      return owner && owner.id !== item.id ? claims.get(idClaim(owner.id)) : undefined;
    };

    // A row that takes the slug of an item which another row names depends on the order of the file.
    const isOrdered = rows.some((item) => lineOfOwner(item) !== undefined);
    await runConcurrently(batch, isOrdered ? 1 : CONCURRENCY, isStopped, async ({ item, line }) => {
      // A row without an id must not change the item of another row.
      const [reason] = item.id === undefined && !dryRun ? repeats('this item', lineOfOwner(item)) : [];
      const timing = { now, deadline: deadlineIn(ROW_TIMEOUT_MS) };
      const result = reason === undefined ? await items.importRow(item, timing, stored) : { reason };
      if (typeof result === 'string') counts[result] += 1;
      else {
        staged.reject(line, [result.reason]);
        counts.rejected += 1;
      }
    });
  }
};

export const CONTENT_FILE = {
  columns: COLUMNS,
  hasLines: true,
  rowHandling: { kind: 'items', write: writeContent },
} satisfies Partial<FileCommand>;
