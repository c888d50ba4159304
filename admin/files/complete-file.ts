import { londonDate } from '../../core/runtime/clock.ts';
import { FileRefused, LimitExceeded } from '../command/command-result.ts';
import { formatNumber } from '../command/format.ts';
import { showProgress } from '../command/progress.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { compareParts, type RecordChange, type RecordOutcome } from '../records/decide-change.ts';
import { isRemovable, type PartSummary, type RecordTarget, summaryOf } from '../records/record-target.ts';
import { storedRecords } from '../records/stored-records.ts';
import type { FileRun } from './file-command.ts';
import { limitOf } from './file-options.ts';
import { writeRegistrations } from './output-file.ts';
import { withPauses } from './staging.ts';

/**
 * The stored parts that the file could change; `isOwn` is 1 for those that it removes when it lacks the vehicle. A
 * damaged record has no `name`, because it may be another supplier's. `insured` is 1 when the part insures its vehicle
 * today. Times are milliseconds, which keeps the staging database below three times the size of the file.
 */
const STORED_TABLE = `
  CREATE TABLE stored (key TEXT NOT NULL, name TEXT, isOwn INTEGER, lastUpdated INTEGER, digest TEXT, insured INTEGER)`;
/** Vehicles that a message names. */
const MAX_EXAMPLES = 3;

/**
 * `NOT IN` finds nothing when a key is NULL, as that of an unreadable row is. The index is created after the rows are
 * inserted, which is faster than updating it with each row.
 */
const LIST_LACKED = `
  INSERT OR IGNORE INTO keys SELECT iif(name IS NULL, 'damaged', 'missing'), key FROM stored
    WHERE isOwn AND key NOT IN (SELECT key FROM rows WHERE key IS NOT NULL);
  CREATE INDEX stored_by_key ON stored (key)`;

const requireWholeFile = ({ source: { path }, staged, counts }: FileRun): void => {
  if (staged.layout()?.cut) {
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
  throw new LimitExceeded(
    [
      `the file lacks ${formatNumber(missing)} of ${formatNumber(stored)} stored records`,
      unreadable > 0 ? `, and ${rows} without a readable registration, each counted as one` : '',
      `, more than the ${formatNumber(most)} of --remove-at-most ${removeAtMost}: nothing was changed; `,
      `when the file is right, raise --remove-at-most to ${missing + unreadable}`,
      file === undefined ? '' : `; the registrations are in ${file}`,
    ].join(''),
    'it lacks more stored records than removeAtMost allows',
  );
};

/** Lists what is stored, and what the file lacks, until Ctrl-C. @throws FileRefused when it lacks too much */
export const compareWithStored = async (run: FileRun, target: RecordTarget, context: CommandContext): Promise<void> => {
  requireWholeFile(run);
  const { db } = run.staged;
  db.exec(STORED_TABLE);
  const insert = db.prepare('INSERT INTO stored VALUES (?, ?, ?, ?, ?, ?)');
  const today = londonDate(run.options.now);
  let stored = 0;
  await storedRecords(target, context).scan((page) => {
    for (const [key, { parts, isErased }] of page) {
      if (isErased) run.staged.list('erased', key);
      if (parts === undefined) insert.run(key, null, 1, null, null, 0);
      let isCounted = false;
      for (const [name, part] of parts ?? []) {
        if (!target.replaces(name)) continue;
        const isOwn = isRemovable(target, name, part);
        const { lastUpdated, digest } = summaryOf(part);
        const insured = target.isInsured?.(new Map([[name, part]]), today);
        const time = lastUpdated === undefined ? null : Date.parse(lastUpdated);
        insert.run(key, name, isOwn ? 1 : 0, time, digest, insured ? 1 : 0);
        isCounted ||= isOwn;
      }
      if (isCounted) stored += 1;
    }
  });
  if (context.signal.aborted) return;
  db.exec(LIST_LACKED);
  await requireFewRemovals(run, stored);
};

/** Changes that need a write, as JSON. */
const PLANNED_TABLE = 'CREATE TABLE planned (change TEXT NOT NULL)';

const LIST_UNCOVERED = `
  INSERT OR IGNORE INTO keys SELECT 'uncovered', key FROM stored
    WHERE insured AND key IN (SELECT key FROM keys WHERE list = 'missing')`;

const requireCover = ({ options: { loseCoverAtMost }, staged }: FileRun): void => {
  staged.db.exec(LIST_UNCOVERED);
  const insured = Number(staged.db.prepare('SELECT count(*) AS count FROM stored WHERE insured').get()?.count);
  const uncovered = staged.countListed('uncovered');
  const most = limitOf(loseCoverAtMost, insured);
  if (uncovered <= most) return;
  const examples = [...staged.listed('uncovered').take(MAX_EXAMPLES)].join(', ');
  throw new LimitExceeded(
    [
      `${formatNumber(uncovered)} of ${formatNumber(insured)} vehicles that this supplier insures today would no longer be insured by it, `,
      `such as ${examples}, more than the ${formatNumber(most)} of --lose-cover-at-most ${loseCoverAtMost}: nothing was changed; `,
      `when the file is right, raise --lose-cover-at-most to ${uncovered}`,
    ].join(''),
    'more vehicles would no longer be insured than loseCoverAtMost allows',
  );
};

export type FileChange = RecordChange & { readonly lines: readonly number[] };

/**
 * Decides about each record of a complete file once, without writing, and stages the changes that need a write.
 * @param settle is called for the changes that need none
 * @throws LimitExceeded when too many vehicles would lose their cover
 */
export const decideAhead = async (
  run: FileRun,
  { isInsured }: RecordTarget,
  changes: AsyncIterable<FileChange>,
  settle: (change: FileChange, outcome: RecordOutcome) => void,
  { signal }: CommandContext,
): Promise<void> => {
  const { staged, options } = run;
  const { db } = staged;
  db.exec(PLANNED_TABLE);
  const insert = db.prepare('INSERT INTO planned VALUES (?)');
  const findStored = db.prepare('SELECT lastUpdated, digest FROM stored WHERE key = ? AND name = ?');
  const findErased = db.prepare("SELECT 1 FROM keys WHERE list = 'erased' AND key = ?");
  const findInsured = db.prepare('SELECT 1 FROM stored WHERE key = ? AND insured');
  const today = londonDate(options.now);
  for await (const change of changes) {
    if (signal.aborted) return;
    if (change.kind !== 'put') continue;
    const { registration, parts } = change;
    const summaryIn = (name: string): PartSummary | undefined => {
      const found = findStored.get(registration, name);
      const time = found?.lastUpdated ? new Date(Number(found.lastUpdated)).toISOString() : undefined;
      return found && { lastUpdated: time, digest: String(found.digest) };
    };
    const outcome = findErased.get(registration) ? 'erased' : compareParts(parts, summaryIn, false);
    if (outcome !== 'loaded') {
      settle(change, outcome);
      continue;
    }
    if (isInsured?.(parts, today) === false && findInsured.get(registration)) staged.list('uncovered', registration);
    insert.run(JSON.stringify({ ...change, parts: [...parts] }));
  }
  requireCover(run);
};

/** The changes that were decided ahead. */
export async function* plannedChanges(
  { staged: { db } }: FileRun,
  context: CommandContext,
): AsyncGenerator<FileChange> {
  const total = Number(db.prepare('SELECT count(*) AS count FROM planned').get()?.count);
  const progress = showProgress(context, 'writing', total);
  let count = 0;
  const rows = db.prepare('SELECT change FROM planned').iterate();
  for await (const { change } of withPauses(rows, () => progress.update(count, count))) {
    const { parts, ...planned } = JSON.parse(String(change));
    yield { ...planned, parts: new Map(parts) };
    count += 1;
  }
  progress.stop();
}
