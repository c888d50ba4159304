import { tmpdir } from 'node:os';
import type { Command } from 'commander';
import type { KeyKind } from '../../core/access/api-key.ts';
import { type CommandResult, EXIT } from '../command/command-result.ts';
import { formatNumber } from '../command/format.ts';
import { showCount } from '../command/progress.ts';
import { readableTable } from '../command/readable-table.ts';
import { type CommandContext, type Runner, requireConfirmation, tableName } from '../deployment/deployment.ts';
import { asStagingFailure } from '../files/file-failure.ts';
import { type ContentReport, checkContent } from './content-check.ts';
import { contentRepair } from './content-repair.ts';
import type { Inconsistency } from './content-scan.ts';

const describePlace = (found: Inconsistency): string => {
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

interface RepairReport extends ContentReport {
  readonly inconsistencies: readonly (Inconsistency & { readonly state: 'found' | 'repaired' | 'left' })[];
}

/** A report for an operator. @param where in front of each place and of the summary */
const readable = ({ items, lists, inconsistencies, busy }: RepairReport, where = ''): string => {
  const rows = inconsistencies.map((one) => [one.kind, where + describePlace(one), one.state]);
  return [
    ...(rows.length > 0 ? [readableTable(['inconsistency', 'where', 'state'], rows)] : []),
    ...busy.map(
      ({ list, bucket }) =>
        `${where}Bucket ${bucket} of list ${list} changes too often to be counted; check again later.\n`,
    ),
    `${where}${formatNumber(items)} items in ${formatNumber(lists)} lists, ${formatNumber(inconsistencies.length)} inconsistencies.\n`,
  ].join('');
};

const isConsistent = ({ busy, inconsistencies }: RepairReport): boolean =>
  busy.length === 0 && inconsistencies.every(({ state }) => state === 'repaired');

const isEmpty = ({ items, busy, inconsistencies }: RepairReport): boolean =>
  items + busy.length + inconsistencies.length === 0;

/** Checks the content of live keys, the sandbox and the probe. Exit code 0 when all of it is consistent in the end. */
const check = async (repairs: boolean, context: CommandContext): Promise<CommandResult> => {
  if (repairs) await requireConfirmation('This rewrites lists and slugs', context);
  const { db } = context.deployment;
  const table = tableName(context.deployment, 'content');
  const progress = showCount(context, 'entries');
  const report = await checkContent(db, table, { onProgress: progress.update, signal: context.signal })
    .catch((error: unknown) => {
      throw asStagingFailure(error, tmpdir(), 'TMPDIR names another folder');
    })
    .finally(progress.stop);
  const repairAll = async (found: ContentReport, kind: KeyKind): Promise<RepairReport> => {
    const repair = contentRepair(db, table, kind);
    const stateOf = async (one: Inconsistency) => ((await repair(one)) ? 'repaired' : 'left');
    const inconsistencies: RepairReport['inconsistencies'][number][] = [];
    for (const one of found.inconsistencies) {
      inconsistencies.push({ ...one, state: repairs ? await stateOf(one) : 'found' });
    }
    return { ...found, inconsistencies };
  };
  const live = await repairAll(report, 'live');
  const sandbox = await repairAll(report.sandbox, 'test');
  const probe = await repairAll(report.probe, 'probe');
  const other = (part: RepairReport, where: string) => (isEmpty(part) ? '' : readable(part, where));
  return {
    text: readable(live) + other(sandbox, 'Sandbox: ') + other(probe, 'Probe: '),
    data: { ...live, sandbox, probe },
    exitCode: [live, sandbox, probe].every(isConsistent) ? EXIT.done : EXIT.incomplete,
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
    .action(({ repair = false }: { repair?: boolean }) => run((context) => check(repair, context)));
};
