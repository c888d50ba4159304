import { FileRefused } from '../command/command-result.ts';
import { formatNumber } from '../command/format.ts';
import { showCount } from '../command/progress.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { writeRegistrations } from '../files/output-file.ts';
import type { SourceFile } from '../files/source-file.ts';
import type { FileOptions } from './file-options.ts';
import { type FindScanned, type StoredForm, summaryOf } from './record-form.ts';
import type { StagedRows } from './staging.ts';
import { type StoredRecord, storedRecords } from './stored-records.ts';

/** What the supplier has stored. A damaged record, which may be anyone's, has no `digest`; an erased one has `ERASED`. */
const TABLES = 'CREATE TABLE stored (key TEXT NOT NULL, lastUpdated TEXT, digest TEXT)';
const ERASED = 'erased';

/** Sorted once, at the end, which is quicker than an index that grows. */
const INDEXES = `
  CREATE INDEX stored_by_key ON stored (key, lastUpdated, digest);
  CREATE INDEX rows_by_key ON rows (key)`;

const IS_IN_FILE = 'EXISTS (SELECT 1 FROM rows WHERE rows.key = stored.key)';

/** @throws FileRefused when a file cannot be a supplier's whole file */
export const requireWholeFile = ({ path }: SourceFile, staged: StagedRows): void => {
  const layout = staged.layout();
  if (typeof layout === 'object' && layout.cut > 0) {
    throw new FileRefused(
      `this is a file of rejected rows, so it is not complete, and nothing was changed: load it without --complete: ${path}`,
    );
  }
  if (staged.count('rows') > 0) return;
  throw new FileRefused(
    `the file has no rows, and with --complete everything stored would be removed: nothing was changed; look for the right file: ${path}`,
  );
};

const countedRows = (unreadable: number): string => {
  if (unreadable === 0) return '';
  if (unreadable === 1) return ', and 1 row without a readable registration counts as one';
  return `, and ${formatNumber(unreadable)} rows without a readable registration count as one each`;
};

/**
 * Stages what a complete file removes. @returns a function that finds what is stored of a key; undefined after Ctrl-C
 * @throws FileRefused when it is more than --remove-at-most
 */
export const compareWithStored = async (
  form: StoredForm,
  { source, removeAtMost }: Pick<FileOptions, 'removeAtMost'> & { readonly source: SourceFile },
  staged: StagedRows,
  context: CommandContext,
): Promise<FindScanned | undefined> => {
  const { db } = staged;
  db.exec(TABLES);
  const insert = db.prepare('INSERT INTO stored VALUES (?, ?, ?)');
  const progress = showCount(context, 'stored records');
  let [read, stored] = [0, 0];
  const addPage = (page: readonly (readonly [key: string, record: StoredRecord])[]): void => {
    for (const [key, { parts, isErased }] of page) {
      if (isErased) insert.run(key, null, ERASED);
      const own = parts?.get(form.supplier);
      if (parts !== undefined && own === undefined) continue;
      const { lastUpdated, digest } = own === undefined ? {} : summaryOf(own);
      insert.run(key, lastUpdated ?? null, digest ?? null);
      if (own !== undefined) stored += 1;
    }
    read += page.length;
    progress.update(read);
  };
  const isAtEnd = await storedRecords(form, context)
    .scan(addPage, () => context.signal.aborted)
    .finally(progress.stop);
  if (!isAtEnd) return undefined;
  db.exec(INDEXES);
  db.exec(
    `INSERT INTO missing SELECT key FROM stored WHERE digest <> '${ERASED}' AND NOT (${IS_IN_FILE}) ORDER BY key`,
  );
  db.exec(`INSERT INTO damaged SELECT key FROM stored WHERE digest IS NULL AND NOT (${IS_IN_FILE}) ORDER BY key`);

  const missing = staged.count('missing');
  // Each may be about a vehicle that seems to be missing; where nothing is stored, nothing can be.
  const unreadable = stored === 0 ? 0 : staged.count("rows WHERE key = ''");
  const most = removeAtMost.of(stored);
  if (missing + unreadable > most) {
    const file = missing > 0 ? await writeRegistrations(source.path, 'missing', staged.keys('missing')) : undefined;
    throw new FileRefused(
      [
        `the file lacks ${formatNumber(missing)} of ${formatNumber(stored)} stored records${countedRows(unreadable)}, `,
        `more than the ${formatNumber(most)} of --remove-at-most ${removeAtMost.text}: nothing was changed; `,
        `when the file is right, raise --remove-at-most to ${missing + unreadable}`,
        file === undefined ? '' : `; the registrations are in ${file}`,
      ].join(''),
    );
  }

  const find = db.prepare('SELECT lastUpdated, digest FROM stored WHERE key = ? AND digest IS NOT NULL');
  return (key) => {
    const row = find.get(key);
    if (row?.digest === ERASED) return 'erased';
    return row && { lastUpdated: (row.lastUpdated ?? undefined) as string | undefined, digest: String(row.digest) };
  };
};
