import { FileRefused } from '../command/command-result.ts';
import { formatNumber } from '../command/format.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import type { ChangeOptions } from '../records/record-changes.ts';
import { isRemovable, type RecordTarget, summaryOf } from '../records/record-target.ts';
import { storedRecords } from '../records/stored-records.ts';
import type { FileRun } from './file-command.ts';
import { limitOf } from './file-options.ts';
import { writeRegistrations } from './output-file.ts';

/**
 * The stored parts that the file could change; `isOwn` is 1 for those that it removes when it lacks the vehicle. A
 * damaged record has no `digest`, because it may be another supplier's; the `digest` of an erased one is `ERASED`. Times
 * are milliseconds, which keeps the staging database below three times the size of the file.
 */
const STORED_TABLE = `
  CREATE TABLE stored (key TEXT NOT NULL, name TEXT, isOwn INTEGER, lastUpdated INTEGER, digest TEXT)`;
const ERASED = 'erased';

/**
 * `NOT IN` finds nothing when a key is NULL, as that of an unreadable row is. The index is created after the rows are
 * inserted, which is faster than updating it with each row.
 */
const LIST_LACKED = `
  INSERT OR IGNORE INTO keys SELECT iif(digest IS NULL, 'damaged', 'missing'), key FROM stored
    WHERE isOwn AND key NOT IN (SELECT key FROM rows WHERE key IS NOT NULL);
  CREATE INDEX stored_by_key ON stored (key)`;

const requireWholeFile = ({ source: { path }, staged, counts }: FileRun): void => {
  const layout = staged.layout();
  if (typeof layout === 'object' && layout.cut > 0) {
    throw new FileRefused(
      `this is a file of rejected rows, so it is not complete, and nothing was changed: load it without --complete: ${path}`,
    );
  }
  if (staged.countRows() > 0) return;
  throw new FileRefused(
    `${counts.withoutValue > 0 ? 'no row of the file has a value' : 'the file has no rows'}, and with --complete everything stored would be removed: nothing was changed; look for the right file: ${path}`,
  );
};

const requireFewRemovals = async ({ source, options: { removeAtMost }, staged }: FileRun, stored: number) => {
  const missing = staged.countListed('missing');
  // Each unreadable row may belong to a vehicle that seems to be missing. When nothing is stored, nothing can be
  // missing.
  const unreadable = stored === 0 ? 0 : staged.countUnreadable();
  const most = limitOf(removeAtMost, stored);
  if (missing + unreadable <= most) return;
  const file = missing > 0 ? await writeRegistrations(source.path, 'missing', staged.listed('missing')) : undefined;
  const rows = unreadable === 1 ? '1 row' : `${formatNumber(unreadable)} rows`;
  throw new FileRefused(
    [
      `the file lacks ${formatNumber(missing)} of ${formatNumber(stored)} stored records`,
      unreadable > 0 ? `, and ${rows} without a readable registration, each counted as one` : '',
      `, more than the ${formatNumber(most)} of --remove-at-most ${removeAtMost}: nothing was changed; `,
      `when the file is right, raise --remove-at-most to ${missing + unreadable}`,
      file === undefined ? '' : `; the registrations are in ${file}`,
    ].join(''),
  );
};

/** Lists what the file lacks. @returns a function that finds what is stored; undefined after Ctrl-C */
export const compareWithStored = async (
  run: FileRun,
  target: RecordTarget,
  context: CommandContext,
): Promise<ChangeOptions['findInScan']> => {
  requireWholeFile(run);
  const { db } = run.staged;
  db.exec(STORED_TABLE);
  const insert = db.prepare('INSERT INTO stored VALUES (?, ?, ?, ?, ?)');
  let stored = 0;
  await storedRecords(target, context).scan((page) => {
    for (const [key, { parts, isErased }] of page) {
      if (isErased) insert.run(key, null, 0, null, ERASED);
      else if (parts === undefined) insert.run(key, null, 1, null, null);
      let isCounted = false;
      for (const [name, part] of parts ?? []) {
        if (!target.replaces(name)) continue;
        const isOwn = isRemovable(target, name, part);
        const { lastUpdated, digest } = summaryOf(part);
        insert.run(key, name, isOwn ? 1 : 0, lastUpdated === undefined ? null : Date.parse(lastUpdated), digest);
        isCounted ||= isOwn;
      }
      if (isCounted) stored += 1;
    }
  });
  if (context.signal.aborted) return undefined;
  db.exec(LIST_LACKED);
  await requireFewRemovals(run, stored);
  const find = db.prepare('SELECT name, lastUpdated, digest FROM stored WHERE key = ? AND digest IS NOT NULL');
  return (registration) => {
    const rows = find.all(registration);
    if (rows[0]?.digest === ERASED) return 'erased';
    return new Map(
      rows.map(({ name, lastUpdated, digest }) => [
        String(name),
        {
          lastUpdated: lastUpdated === null ? undefined : new Date(Number(lastUpdated)).toISOString(),
          digest: String(digest),
        },
      ]),
    );
  };
};
