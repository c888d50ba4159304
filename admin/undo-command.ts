import type { Command } from 'commander';
import { findLoadSince } from '../core/finished-loads.ts';
import type { RecordKind } from '../core/stage/outputs.ts';
import { type CommandResult, FileRefused } from './command/command-result.ts';
import { exampleOf, printable } from './command/format.ts';
import { type CommandContext, type Runner, tableName } from './deployment/deployment.ts';
import { openChanges } from './files/changes-file.ts';
import { type FileCommand, REGISTRATION_FILE, type ReadRows } from './files/file-command.ts';
import { isTableInUse, loadKinds } from './files/finish-load.ts';
import type { Row } from './files/rows.ts';
import { runFile } from './files/run-file.ts';
import { isChangeLine, joinAttempts, type Load, partsBefore } from './records/change-line.ts';
import { WHOLE_COMPLIANCE } from './records/compliance-parts.ts';
import type { RecordTarget } from './records/record-target.ts';
import { supplierTarget, WHOLE_VEHICLES } from './records/vehicle-parts.ts';

interface UndoOptions {
  readonly dryRun?: boolean;
  readonly staging?: string;
  readonly althoughLoadedSince?: boolean;
}

const targetOf = ({ kind, supplier }: Load): RecordTarget => {
  if (kind !== 'vehicles') return WHOLE_COMPLIANCE;
  return supplier === undefined ? WHOLE_VEHICLES : supplierTarget(supplier);
};

const readLine = (load: Load, rows: readonly Row[], registration: string): ReadRows => {
  const target = targetOf(load);
  const rejectedFor = (reason: string) => ({ rejected: rows.map((row) => ({ row, reasons: [reason] })) });
  const lines = rows.map(({ fields }): unknown => fields).filter(isChangeLine);
  if (lines.length < rows.length) return rejectedFor('this is not a line of a changes file');
  const line = joinAttempts(lines);
  const before = partsBefore(line);
  if (before.size > 0 && target.read({ registration, ...target.join(before) }) === undefined) {
    return rejectedFor('before: is not what was stored');
  }
  return { change: { kind: 'undo', registration, line, began: load.began } };
};

const undoCommand = (load: Load): FileCommand => ({
  ...REGISTRATION_FILE,
  verb: 'undo',
  noun: load.kind as RecordKind,
  supplier: load.supplier,
  consequence: `This puts back what the load of ${printable(load.kind)} that began ${printable(load.began)} has changed`,
  outcomes: ['putBack', 'unchanged', 'changedSince', 'erased'],
  rowHandling: {
    kind: 'records',
    target: targetOf(load),
    read: (rows, registration) => readLine(load, rows, registration),
  },
});

const requireUndoable = (load: Load, path: string, { deployment }: CommandContext): void => {
  const nothing = `nothing was changed: ${path}`;
  if (load.dryRun) throw new FileRefused(`this is the file of a dry run, which has changed nothing; ${nothing}`);
  const table = tableName(deployment, targetOf(load).table);
  if (load.stack === deployment.address && load.table === table) return;
  const [theirs, ours] = [`${load.table}, ${load.stack}`, `${table}, ${deployment.address}`].map((one) =>
    printable(one),
  );
  throw new FileRefused(`the load has changed another table (${theirs}) than this one (${ours}); ${nothing}`);
};

const requireLastLoad = async (load: Load, path: string, { deployment }: CommandContext): Promise<void> => {
  if (!isTableInUse(deployment, targetOf(load).table)) return;
  const usage = tableName(deployment, 'usage');
  const later = await findLoadSince(deployment.db, usage, loadKinds(load.kind), load);
  if (later === undefined) return;
  throw new FileRefused(
    `another load of its kind and supplier has finished since, at ${later.at}, and may have confirmed what this one wrote: nothing was changed; to undo this one all the same, add --although-loaded-since: ${path}`,
  );
};

const undo = async (
  path: string,
  { althoughLoadedSince, ...options }: UndoOptions,
  context: CommandContext,
): Promise<CommandResult> => {
  const { load, source } = await openChanges(path);
  requireUndoable(load, path, context);
  if (!althoughLoadedSince) await requireLastLoad(load, path, context);
  return runFile(undoCommand(load), source, options, context);
};

export const addUndoCommand = (program: Command, run: Runner): void => {
  program
    .command('undo')
    .description('put back what a load has changed, where it is still as the load wrote it')
    .argument('<file>', 'FILE.changes.ndjson of the load, or the folder changes/LOAD of one by the intake')
    .option('--although-loaded-since', 'also when another load of its kind and supplier has finished since')
    .option('--dry-run', 'do everything but the writes, with the same counts')
    .option('--staging <folder>', 'folder for temporary files (default: the folder of the file)')
    .addHelpText('after', exampleOf('undo vehicles.csv.changes.ndjson'))
    .action((file: string, options: UndoOptions) => run((context) => undo(file, options, context)));
};
