import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as T from 'typebox';
import { type ContentItem, isContentId } from '../../core/content/item.ts';
import { CreateContent, newFields } from '../../core/content/schemas.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { validationIssues } from '../../core/schemas/validation-issues.ts';
import { MAX_ROW_LENGTH } from '../../csv/lines.ts';
import { contentImport } from '../content/content-import.ts';
import { fitsOneTransaction, type ImportedItem } from '../content/imported-item.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import type { RowsWriting } from '../file-command/file-kind.ts';
import type { Row, RowRules } from '../files/rows.ts';
import { asNumber, type FieldChecks, fieldChecks } from './field-checks.ts';

/** Milliseconds for one transaction's items, including retries. */
const TRANSACTION_TIMEOUT_MS = 30_000;

/** Rows that are read before Ctrl-C is looked for, also when all of them are rejected. */
const ROWS_A_TURN = 500;
export const CONTENT_ROWS: RowRules = {
  columns: {
    required: ['title', 'content', 'domain', 'slug'],
    optional: ['meta_description', 'id', 'created_at', 'updated_at', 'version'],
  },
  maxRowLength: MAX_ROW_LENGTH,
  hasLines: true,
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
const asGiven = ({ given: text, fields }: Row): Row['fields'] => {
  if (typeof text === 'string') return fields;
  const isGiven = ([name, value]: [string, unknown]) => CONTENT_ROWS.columns.required.includes(name) || value !== '';
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

/** Which line of the file has claimed an id or a slug first. Lines with ids have claimed those before the first write. */
const claimsIn = (db: DatabaseSync) => {
  db.exec('CREATE TABLE claims (key TEXT PRIMARY KEY, line INTEGER NOT NULL) WITHOUT ROWID');
  const insert = db.prepare('INSERT OR IGNORE INTO claims VALUES (?, ?)');
  const find = db.prepare('SELECT line FROM claims WHERE key = ?');
  const lineOf = (key: string) => find.get(key)?.line as number | undefined;
  return {
    lineOf,
    /** Claims the key for a line. @returns the earlier line that has it, if one has */
    claim: (key: string, line: number): number | undefined => {
      insert.run(key, line);
      const owner = lineOf(key);
      return owner === line ? undefined : owner;
    },
  };
};

type Claims = ReturnType<typeof claimsIn>;

/** The slugs that a dry run would have moved: the id of each one's item, null for a free one. */
const movedSlugsIn = (db: DatabaseSync) => {
  db.exec('CREATE TABLE moved_slugs (slug TEXT PRIMARY KEY, id TEXT) WITHOUT ROWID');
  const insert = db.prepare('INSERT OR REPLACE INTO moved_slugs VALUES (?, ?)');
  const find = db.prepare('SELECT id FROM moved_slugs WHERE slug = ?');
  return {
    ownerOf: (slug: string) => find.get(slug)?.id as string | null | undefined,
    move: (slug: string, id: string | null) => void insert.run(slug, id),
  };
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
const readContentRow = (row: Row, now: Date, claims: Claims): ImportedItem | readonly string[] => {
  const problem = row.issue ?? (row.unreadable === undefined ? undefined : `the row ${row.unreadable}`);
  if (problem !== undefined) return [problem];
  const check = fieldChecks({ now, dates: 'iso', ifNewer: false });
  const fields = check.object('', asGiven(row), Object.keys(ContentRow.properties));
  for (const { pointer, detail } of validationIssues(ContentRow, fields)) check.issue(pointer.slice(1), detail);
  const stamps = readTimestamps(check, fields);
  if (check.reasons.length > 0) return check.reasons;
  const { id, version } = fields as Pick<ImportedItem, 'id' | 'version'>;
  const given = { ...(id !== undefined && { id }), ...(version !== undefined && { version }) };
  const record = { ...newFields(fields as T.Static<typeof CreateContent>), ...stamps, ...given };
  const reasons = findRepeats(record, row.line, claims);
  return reasons.length > 0 ? reasons : record;
};

interface ItemOfLine {
  readonly item: ImportedItem;
  readonly line: number;
}

/** The items of the rows, in batches of one transaction. Rejected rows are staged. */
async function* readBatches(
  { staged, counts, now, onRows }: RowsWriting,
  claims: Claims,
): AsyncGenerator<ItemOfLine[]> {
  let batch: ItemOfLine[] = [];
  for (const row of staged.rows()) {
    counts.read += 1;
    const item = readContentRow(row, now, claims);
    if ('length' in item) {
      staged.reject(row.line, item);
      counts.rejected += 1;
    } else {
      const next = { item, line: row.line };
      if (batch.length > 0 && !fitsOneTransaction([...batch, next].map((one) => one.item))) {
        yield batch;
        batch = [];
      }
      batch.push(next);
    }
    if (counts.read % ROWS_A_TURN !== 0) continue;
    onRows();
    await nextTurn();
  }
  onRows();
  if (batch.length > 0) yield batch;
}

/** Writes content items in the order of the file: CSV or NDJSON, an item per row. */
export const writeContent = async (job: RowsWriting, { deployment, signal }: CommandContext): Promise<void> => {
  const { staged, counts, table, now, dryRun } = job;
  const claims = claimsIn(staged.db);
  for (const { fields, line } of staged.rows()) {
    if (typeof fields.id === 'string' && fields.id !== '') claims.claim(idOf(fields.id), line);
  }
  const skipReason = (row: ImportedItem, stored: ContentItem) => skipReasonOf(row, stored, claims);
  const moved = dryRun ? movedSlugsIn(staged.db) : undefined;
  const items = contentImport(deployment.db, table, skipReason, moved);
  const write = async (batch: readonly ItemOfLine[]): Promise<void> => {
    const rows = batch.map(({ item }) => item);
    const results = await items.importBatch(rows, { now, deadline: deadlineIn(TRANSACTION_TIMEOUT_MS) });
    for (const [index, { line }] of batch.entries()) {
      const result = results[index];
      if (typeof result === 'string') counts[result] += 1;
      if (typeof result !== 'object') continue;
      const holder = result.owner === undefined ? undefined : claims.lineOf(idOf(result.owner));
      const which = holder === undefined ? '' : `; put line ${holder} before this one`;
      staged.reject(line, [`${result.reason}${which}`]);
      counts.rejected += 1;
    }
  };
  // One at a time: a row may take a slug that an earlier one has freed, and transactions would meet on counters.
  for await (const batch of readBatches(job, claims)) {
    if (signal.aborted) return;
    await write(batch);
  }
};
