/** Removals without a file, of what a scan finds. */
import { join } from 'node:path';
import type { LondonDate } from '../core/runtime/clock.ts';
import { NAMELESS } from '../core/stage/outputs.ts';
import { CommandFailure, type CommandResult, EXIT } from './command/command-result.ts';
import { formatNumber, toLines } from './command/format.ts';
import { type CommandContext, requireConfirmation, tableName } from './deployment/deployment.ts';
import { beginChanges } from './files/changes-file.ts';
import { DEFAULT_OPTIONS, limitOf } from './files/file-options.ts';
import { finishLoad } from './files/finish-load.ts';
import { BEGINS_AGAIN } from './files/report.ts';
import { isNoLongerInsured } from './records/change-line.ts';
import { recordChanges } from './records/record-changes.ts';
import type { Parts, RecordTarget } from './records/record-target.ts';
import { storedRecords } from './records/stored-records.ts';
import { supplierTarget, type VehicleBody, WHOLE_VEHICLES } from './records/vehicle-parts.ts';

interface Removal {
  readonly target: RecordTarget;
  readonly supplier?: string;
  readonly isTaken: (parts: Parts) => boolean;
  readonly what: string;
  /** How many may go of all vehicles that are stored; no limit when absent. */
  readonly removeAtMost?: string | undefined;
  readonly note?: string;
}

export const suppliedBy = (supplier: string | undefined): Removal => {
  const what = supplier === undefined ? 'was supplied without a name' : `${supplier} has supplied`;
  const name = supplier ?? NAMELESS;
  return { target: supplierTarget(supplier), supplier: name, isTaken: (parts) => parts.has(name), what };
};

/** Vehicles whose last policy ended before a day, and of which no supplier has sent anything since. */
export const endedVehicles = (day: LondonDate, removeAtMost = DEFAULT_OPTIONS.removeAtMost): Removal => {
  const isTaken = (parts: Parts): boolean => {
    const all = [...(parts as Parts<VehicleBody>).values()];
    const policies = all.flatMap(({ body }) => body.policies);
    const isOld = all.every(({ lastUpdated = '' }) => lastUpdated < day);
    return isOld && policies.length > 0 && policies.every(({ validTo }) => validTo < day);
  };
  const what = `has a last policy that ended before ${day}, and was not updated since`;
  const note = 'A later file may bring these vehicles back.';
  return { target: WHOLE_VEHICLES, isTaken, what, removeAtMost, note };
};

/** Refuses a removal of more vehicles than its limit permits. */
const requireFewTaken = async ({ target, isTaken, removeAtMost }: Removal, context: CommandContext): Promise<void> => {
  if (removeAtMost === undefined) return;
  let [stored, taken] = [0, 0];
  await storedRecords(target, context).scan((page) => {
    for (const [, { parts }] of page) {
      if (parts === undefined || parts.size === 0) continue;
      stored += 1;
      if (isTaken(parts)) taken += 1;
    }
  });
  const most = limitOf(removeAtMost, stored);
  if (context.signal.aborted || taken <= most) return;
  throw new CommandFailure(
    `${formatNumber(taken)} of ${formatNumber(stored)} vehicles would go, more than the ${formatNumber(most)} of --remove-at-most ${removeAtMost}: nothing was changed; when this is right, raise --remove-at-most to ${taken}`,
  );
};

/** Damaged records stay, because they may be other suppliers'. */
export const removeFound = async (
  removal: Removal,
  dryRun: boolean,
  context: CommandContext,
): Promise<CommandResult> => {
  const { target, supplier, isTaken, what, note } = removal;
  if (!dryRun) await requireConfirmation(`This removes everything that ${what} for good`, context);
  await requireFewTaken(removal, context);
  const facts = { kind: 'vehicles', table: tableName(context.deployment, target.table), supplier, dryRun };
  const changes = await beginChanges(join(context.folder, 'remove-vehicles'), facts, undefined, context);
  const records = storedRecords(target, context);
  const remove = recordChanges(target, { dryRun, keepLines: changes.keepLines }, context, records);
  let [removed, damaged, noLongerInsured] = [0, 0, 0];
  try {
    await records.scan(async (page) => {
      damaged += page.filter(([, { parts }]) => parts === undefined).length;
      const taken = page.filter(([, { parts }]) => parts !== undefined && isTaken(parts));
      await remove(
        taken.map(([registration]) => ({ kind: 'remove', registration, isTaken })),
        (_, result, line) => {
          if (result !== 'removed') return;
          removed += 1;
          if (line && isNoLongerInsured(line)) noLongerInsured += 1;
        },
      );
    });
  } finally {
    await changes.close();
  }
  const interrupted = context.signal.aborted;
  if (removed > 0 && !interrupted && !dryRun) await finishLoad(changes.load, target.table, undefined, context);
  const notes = [
    interrupted && `Stopped by Ctrl-C; ${BEGINS_AGAIN}.`,
    !interrupted && removed + damaged === 0 && `There was nothing that ${what}.`,
    damaged > 0 && `Damaged records, which may be anyone’s, stay: ${formatNumber(damaged)}.`,
    dryRun ? 'Dry run: nothing was changed.' : note,
  ];
  const named = supplier === NAMELESS ? null : (supplier ?? null);
  const data = { kind: 'vehicles', supplier: named, removed, noLongerInsured, damaged, interrupted };
  return {
    text: toLines([
      `${dryRun ? 'would be removed' : 'removed'}: ${formatNumber(removed)}`,
      noLongerInsured > 0 && `Vehicles that are no longer insured: ${formatNumber(noLongerInsured)}.`,
      removed > 0 && `What ${dryRun ? 'would change' : 'was changed'} is in ${changes.name}`,
    ]),
    notes: toLines(notes),
    data: { ...data, changesFile: changes.name, ...(dryRun && { dryRun }) },
    exitCode: interrupted ? EXIT.interrupted : damaged > 0 ? EXIT.incomplete : EXIT.done,
  };
};
