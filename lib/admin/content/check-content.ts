import type { Command } from 'commander';
import { contentCheck } from '../../content-maintenance/content-check.ts';
import type { Inconsistency } from '../../content-maintenance/content-inconsistencies.ts';
import { contentRepair } from '../../content-maintenance/content-repair.ts';
import { type CommandResult, EXIT } from '../command/outcome.ts';
import { readableTable } from '../command/readable-table.ts';
import { type CommandRun, type Runner, requireConfirmation } from '../deployment/deployment.ts';

const number = (value: number): string => value.toLocaleString('en-GB');

/** Where an inconsistency is, for an operator. */
const placeOf = (found: Inconsistency): string => {
  switch (found.kind) {
    case 'missing member':
    case 'orphaned member':
      return `item ${found.id} at position ${found.position} of list ${found.list}`;
    case 'missing slug claim':
    case 'orphaned slug claim':
      return `slug ${found.slug} of ${found.domain} for item ${found.id}`;
    case 'miscounted bucket':
      return `bucket ${found.bucket} of list ${found.list}: counter ${found.counter}, members ${found.members}`;
    case 'allocator behind':
      return `list ${found.list} must allocate positions from ${found.allocated}`;
  }
};

/**
 * Recounts every list against its members and compares every slug with its item. With `repair` it repairs what it finds.
 * Exit code 0 when everything is known to be consistent in the end, otherwise 1.
 */
const checkContent = async (repair: boolean, run: CommandRun): Promise<CommandResult> => {
  if (repair) await requireConfirmation('This rewrites lists and slugs', run);
  const { db, tableNames } = run.deployment;
  const onProgress = (entries: number) => {
    if (run.showsProgress) run.stderr.write(`\r${number(entries)} entries read`);
  };
  const { items, lists, inconsistencies, busy } = await contentCheck(db, tableNames.content).check(onProgress);
  if (run.showsProgress) run.stderr.write('\n');
  const repairs = contentRepair(db, tableNames.content);
  const found: (Inconsistency & { readonly state: 'found' | 'repaired' | 'left' })[] = [];
  for (const one of inconsistencies) {
    found.push({ ...one, state: repair ? ((await repairs.repair(one)) ? 'repaired' : 'left') : 'found' });
  }
  const rows = found.map((one) => [one.kind, placeOf(one), one.state]);
  const text = [
    ...(rows.length > 0 ? [readableTable(['inconsistency', 'where', 'state'], rows)] : []),
    ...busy.map(
      ({ list, bucket }) => `Bucket ${bucket} of list ${list} changes too often to be counted; check again later.\n`,
    ),
    `${number(items)} items in ${number(lists)} lists, ${number(found.length)} inconsistencies.\n`,
  ];
  const isConsistent = busy.length === 0 && found.every(({ state }) => state === 'repaired');
  return {
    text: text.join(''),
    data: { items, lists, inconsistencies: found, busy },
    exitCode: isConsistent ? EXIT.done : EXIT.someRejected,
  };
};

/** Adds `content check`. */
export const addContentCommands = (program: Command, run: Runner): void => {
  program
    .command('content')
    .description('look after stored content')
    .command('check')
    .description('recount every list against its members and compare every slug with its item')
    .option('--repair', 'repair inconsistencies')
    .action(({ repair = false }: { repair?: boolean }) => run((command) => checkContent(repair, command)));
};
