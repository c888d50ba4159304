import { type CommandResult, EXIT } from '../command/command-result.ts';
import { formatNumber, toLines } from '../command/format.ts';
import { showCount } from '../command/progress.ts';
import { type CommandContext, requireConfirmation } from '../deployment/deployment.ts';
import { BEGINS_AGAIN } from '../files/report.ts';
import { recordChanges } from '../records/record-changes.ts';
import { storedRecords } from '../records/stored-records.ts';
import { supplierTarget } from '../records/vehicle-parts.ts';

/**
 * Removes what a supplier has supplied, and vehicles that no other supplier has. Damaged records stay, because they may
 * be other suppliers'.
 */
export const removeSupplied = async (
  supplier: string | undefined,
  dryRun: boolean,
  context: CommandContext,
): Promise<CommandResult> => {
  const what = `everything that ${supplier === undefined ? 'was supplied without a name' : `${supplier} has supplied`}`;
  if (!dryRun) await requireConfirmation(`This removes ${what} for good`, context);
  const target = supplierTarget(supplier);
  const remove = recordChanges(target, { dryRun }, context);
  const { signal } = context;
  let [removed, damaged, read] = [0, 0, 0];
  const progress = showCount(context, 'stored records');
  await storedRecords(target, context)
    .scan(
      async (page) => {
        read += page.length;
        progress.update(read);
        damaged += page.filter(([, { parts }]) => parts === undefined).length;
        const changes = page
          .filter(([, { parts }]) => parts?.has(target.supplier))
          .map(([registration]) => ({ registration }));
        await remove(changes, (_, result) => {
          if (result === 'removed') removed += 1;
        });
      },
      () => signal.aborted,
    )
    .finally(progress.stop);
  const interrupted = signal.aborted;
  const notes = [
    interrupted && `Stopped by Ctrl-C; ${BEGINS_AGAIN}.`,
    !interrupted &&
      removed + damaged === 0 &&
      `There was nothing that ${supplier ?? 'a supplier without a name'} has supplied.`,
    damaged > 0 && `Damaged records, which may be anyone’s, stay: ${formatNumber(damaged)}.`,
    dryRun && 'Dry run: nothing was changed.',
  ];
  return {
    text: `${dryRun ? 'would be removed' : 'removed'}: ${formatNumber(removed)}\n`,
    notes: toLines(notes),
    data: { kind: 'vehicles', supplier: supplier ?? null, removed, damaged, interrupted, ...(dryRun && { dryRun }) },
    exitCode: interrupted ? EXIT.interrupted : damaged > 0 ? EXIT.incomplete : EXIT.done,
  };
};
