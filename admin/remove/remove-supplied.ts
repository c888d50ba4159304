import { EXIT } from '../command/command-result.ts';
import { formatNumber } from '../command/format.ts';
import { showCount } from '../command/progress.ts';
import { type CommandContext, requireConfirmation } from '../deployment/deployment.ts';
import { recordChanges } from '../file-command/record-changes.ts';
import { BEGINS_AGAIN } from '../file-command/report.ts';
import { type StoredRecord, storedRecords } from '../file-command/stored-records.ts';
import { supplierForm } from '../vehicle-parts.ts';

/** Removes what a supplier has supplied, and vehicles without another. Damaged records, perhaps others', stay. */
export const removeSupplied = async (supplier: string | undefined, dryRun: boolean, context: CommandContext) => {
  const what = `everything that ${supplier === undefined ? 'was supplied without a name' : `${supplier} has supplied`}`;
  if (!dryRun) await requireConfirmation(`This removes ${what} for good`, context);
  const form = supplierForm(supplier);
  const { writeAll } = recordChanges(form, { ...context, dryRun, ifNewer: false });
  const isStopped = () => context.signal.aborted;
  const counts = { removed: 0, damaged: 0 };
  const progress = showCount(context, 'stored records');
  let read = 0;

  const removePage = async (page: readonly (readonly [registration: string, record: StoredRecord])[]) => {
    read += page.length;
    progress.update(read);
    counts.damaged += page.filter(([, { parts }]) => parts === undefined).length;
    const own = page.filter(([, { parts }]) => parts?.has(form.supplier)).map(([registration]) => ({ registration }));
    await writeAll(own, isStopped, (result) => {
      if (result === 'removed') counts.removed += 1;
    });
  };

  const isAtEnd = await storedRecords(form, context).scan(removePage, isStopped).finally(progress.stop);
  const notes = [
    isAtEnd ? '' : `Stopped by Ctrl-C; ${BEGINS_AGAIN}.\n`,
    isAtEnd && counts.removed === 0 && counts.damaged === 0
      ? `There was nothing that ${supplier ?? 'a supplier without a name'} has supplied.\n`
      : '',
    counts.damaged > 0 ? `Damaged records, which may be anyone’s, stay: ${formatNumber(counts.damaged)}.\n` : '',
    dryRun ? 'Dry run: nothing was removed.\n' : '',
  ];
  return {
    text: `${dryRun ? 'would be removed' : 'removed'}: ${formatNumber(counts.removed)}\n`,
    notes: notes.join(''),
    data: { kind: 'vehicles', supplier: supplier ?? null, ...counts, interrupted: !isAtEnd, ...(dryRun && { dryRun }) },
    exitCode: !isAtEnd ? EXIT.interrupted : counts.damaged > 0 ? EXIT.incomplete : EXIT.done,
  };
};
