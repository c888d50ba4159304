import { setImmediate as nextTurn } from 'node:timers/promises';
import { londonDate } from '../../core/runtime/clock.ts';
import { hasUkFormat } from '../../core/vehicles/suggestion.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { type ChangeOptions, type RecordChange, recordChanges } from '../records/record-changes.ts';
import type { FileRun, ReadRows, RecordRules } from './file-command.ts';
import { FIELD_TWICE, type Row } from './rows.ts';

/**
 * A change, and the lines of the file that it comes from. A record that is removed because the file lacks it has no
 * lines.
 */
interface PlacedChange extends RecordChange {
  readonly lines: readonly number[];
}

/** Maximum number of registrations of an unknown format that are shown. */
const MAX_EXAMPLES = 3;
/**
 * Groups that are read between two turns of the event loop. Without these turns Ctrl-C would have no effect while all
 * groups are rejected.
 */
const GROUPS_A_TURN = 500;

/**
 * Rejects all rows of a vehicle when one of its lines has a field twice, because it is unclear which value is right.
 */
const withFieldTwice = (rows: readonly Row[]): ReadRows | undefined => {
  const twice = rows.find(({ hasFieldTwice }) => hasFieldTwice);
  if (twice === undefined) return undefined;
  const whole = `rejected with line ${twice.line}, which is the same vehicle`;
  return { rejected: rows.map((row) => ({ row, reasons: [row.hasFieldTwice ? FIELD_TWICE : whole] })) };
};

/** Yields the changes in the file, then the removals of what the file lacks. Stages the rejected rows. */
async function* changesOf(
  { command: { verb }, options, staged, counts }: FileRun,
  { read }: RecordRules,
  onRows: () => void,
): AsyncGenerator<PlacedChange> {
  const today = londonDate(options.now);
  // A removal and an erasure read the registration alone, and are never done by half.
  const readGroup: typeof read = (rows, ...others) =>
    (verb === 'import' ? withFieldTwice(rows) : undefined) ?? read(rows, ...others);
  counts.rejected = staged.count('rejected');
  counts.read = counts.rejected;
  let groups = 0;
  for (const { key, rows } of staged.groups()) {
    const { change, rejected = [], repeated = 0 } = readGroup(rows, key, options);
    counts.read += rows.length;
    counts.rejected += rejected.length;
    counts.repeated += repeated;
    for (const { row, reasons } of rejected) staged.reject(row.line, reasons);
    if (change?.body !== undefined && !hasUkFormat(key, today)) {
      counts.unknownFormat += 1;
      if (counts.unknownFormat <= MAX_EXAMPLES) staged.list('unknown-format', key);
    }
    if (change !== undefined) yield { ...change, lines: rows.map(({ line }) => line) };
    groups += 1;
    if (groups % GROUPS_A_TURN !== 0) continue;
    onRows();
    await nextTurn();
  }
  onRows();
  for (const registration of staged.listed('missing')) yield { registration, lines: [] };
}

/** Writes or removes the records of all staged rows, then removes what the file lacks, until Ctrl-C. */
export const writeRecords = async (
  run: FileRun,
  rules: RecordRules,
  options: ChangeOptions,
  onRows: () => void,
  context: CommandContext,
): Promise<void> => {
  const { staged, counts } = run;
  const write = recordChanges(rules.target, options, context);
  await write(changesOf(run, rules, onRows), ({ registration, lines }, result) => {
    if (typeof result !== 'string') {
      for (const line of lines) staged.reject(line, [result.reason]);
      counts.rejected += lines.length;
      return;
    }
    // Another command has removed or erased it since the scan.
    if (lines.length === 0 && result !== 'removed') return;
    counts[result] += 1;
    if (options.dryRun && result === 'removed') staged.list('removed', registration);
    if (result === 'notThere') staged.list('not-there', registration);
  });
};
