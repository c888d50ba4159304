import { contentCheck } from '../../../functions/content/content-check.ts';
import type { ContentFault } from '../../../functions/content/content-faults.ts';
import type { CommandRun } from '../command-run.ts';
import { requireConfirmation } from '../confirmation.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { readableTable } from '../readable-table.ts';

const number = (value: number): string => value.toLocaleString('en-GB');

/** Where a fault is, in words of an operator. */
const placeOf = (fault: ContentFault): string => {
  switch (fault.kind) {
    case 'missing member':
    case 'stray member':
      return `item ${fault.id} at position ${fault.position} of list ${fault.list}`;
    case 'unheld slug':
    case 'stray slug':
      return `slug ${fault.slug} of ${fault.domain} for item ${fault.id}`;
    case 'miscounted bucket':
      return `bucket ${fault.bucket} of list ${fault.list}: counter ${fault.counter}, members ${fault.members}`;
    case 'head behind':
      return `list ${fault.list} must give positions from ${fault.allocated}`;
  }
};

type Mend = (fault: ContentFault) => Promise<boolean>;

const rowsOf = async (faults: readonly ContentFault[], mend: Mend | undefined): Promise<string[][]> => {
  const rows: string[][] = [];
  for (const fault of faults) {
    const state = mend === undefined ? 'found' : (await mend(fault)) ? 'mended' : 'left';
    rows.push([fault.kind, placeOf(fault), state]);
  }
  return rows;
};

/**
 * Recounts every list against its members and every slug against its item. With `repair` it mends what it finds;
 * exit code 0 when all is well in the end, 1 when a fault is left.
 */
export const checkContent = async (repair: boolean, run: CommandRun): Promise<ExitCode> => {
  const { deployment, context } = run;
  if (repair) await requireConfirmation('This rewrites lists and slugs', run);
  const content = contentCheck(deployment.db, deployment.tableNames.content);
  const onProgress = (entries: number) => {
    if (context.stderr.isTTY) context.stderr.write(`\r${number(entries)} entries read`);
  };
  const { items, lists, faults } = await content.check(onProgress);
  if (context.stderr.isTTY) context.stderr.write('\n');
  const rows = await rowsOf(faults, repair ? content.mend : undefined);
  if (rows.length > 0) context.stdout.write(readableTable(['fault', 'where', repair ? 'repair' : 'state'], rows));
  context.stdout.write(`${number(items)} items in ${number(lists)} lists, ${number(faults.length)} faults.\n`);
  return rows.every(([, , state]) => state === 'mended') ? EXIT.done : EXIT.someRefused;
};
