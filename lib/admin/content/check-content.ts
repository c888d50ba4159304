import type { Command } from 'commander';
import { contentCheck } from '../../content-maintenance/content-check.ts';
import type { Inconsistency } from '../../content-maintenance/content-inconsistencies.ts';
import { contentRepair } from '../../content-maintenance/content-repair.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import { readableTable } from '../command/readable-table.ts';
import type { CommandRun, Runner } from '../deployment/command-run.ts';
import { requireConfirmation } from '../deployment/confirmation.ts';

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

type Repair = (found: Inconsistency) => Promise<boolean>;

const rowsOf = async (inconsistencies: readonly Inconsistency[], repair: Repair | undefined): Promise<string[][]> => {
  const rows: string[][] = [];
  for (const found of inconsistencies) {
    const state = repair === undefined ? 'found' : (await repair(found)) ? 'repaired' : 'left';
    rows.push([found.kind, placeOf(found), state]);
  }
  return rows;
};

/**
 * Recounts every list against its members and compares every slug with its item. With `repair` it repairs what it finds.
 * Exit code 0 when everything is known to be consistent in the end, otherwise 1.
 */
export const checkContent = async (repair: boolean, run: CommandRun): Promise<ExitCode> => {
  const { deployment, context } = run;
  if (repair) await requireConfirmation('This rewrites lists and slugs', run);
  const table = deployment.tableNames.content;
  const onProgress = (entries: number) => {
    if (context.stderr.isTTY) context.stderr.write(`\r${number(entries)} entries read`);
  };
  const { items, lists, inconsistencies, busy } = await contentCheck(deployment.db, table).check(onProgress);
  if (context.stderr.isTTY) context.stderr.write('\n');
  const rows = await rowsOf(inconsistencies, repair ? contentRepair(deployment.db, table).repair : undefined);
  if (rows.length > 0) context.stdout.write(readableTable(['inconsistency', 'where', 'state'], rows));
  for (const { list, bucket } of busy) {
    context.stdout.write(`Bucket ${bucket} of list ${list} changes too often to be counted; check again later.\n`);
  }
  const total = `${number(items)} items in ${number(lists)} lists, ${number(inconsistencies.length)} inconsistencies.`;
  context.stdout.write(`${total}\n`);
  const isConsistent = busy.length === 0 && rows.every(([, , state]) => state === 'repaired');
  return isConsistent ? EXIT.done : EXIT.someRejected;
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
