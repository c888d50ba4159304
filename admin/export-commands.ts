import { extname } from 'node:path';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import type { Command } from 'commander';
import { ComplianceRecord } from '../core/compliance/compliance-record.ts';
import type { DynamoItem } from '../core/dynamodb/database.ts';
import { readStored } from '../core/schemas/record-schema.ts';
import { Erasure, isErased } from '../core/vehicles/erasure.ts';
import { CommandFailure, type CommandResult, EXIT } from './command/command-result.ts';
import { exampleOf, formatNumber } from './command/format.ts';
import { showCount } from './command/progress.ts';
import { exportedItems } from './content/content-export.ts';
import { type CommandContext, type Runner, tableName } from './deployment/deployment.ts';
import type { DataKind } from './files/file-kind.ts';
import { writeOutput } from './files/output-file.ts';
import { writeRejected } from './files/rejected-file.ts';
import type { RejectedRow } from './files/rows.ts';
import { readSupplied, readSupplier } from './records/vehicle-parts.ts';
import { addSupplierOption, requireSuppliers } from './supplier-option.ts';

type Export = (path: string, context: CommandContext, supplier?: string) => Promise<CommandResult>;

const toLine = (record: object): string => `${JSON.stringify(record)}\n`;

const write = (path: string, lines: AsyncIterable<string>, { signal }: CommandContext): Promise<string> =>
  writeOutput(path, lines, { signal });

/** The record as an import restores it; null without a part of the supplier, undefined when damaged. */
const READ = {
  vehicles: (item: DynamoItem, supplier?: string): object | null | undefined =>
    supplier === undefined ? readSupplied(item) : readSupplier(item, supplier),
  compliance: (item: DynamoItem): object | undefined => {
    const record = readStored(ComplianceRecord, item);
    // Without the field, an import would take the time of the file.
    return record && { ...record, lastUpdated: record.lastUpdated ?? null };
  },
};

/** The registrations of damaged records, which the API cannot return either, are written to `FILE.rejected.ndjson`. */
const exportRecords =
  (kind: keyof typeof READ, noun: string): Export =>
  async (file, context, supplier) => {
    const { deployment } = context;
    const damaged: RejectedRow[] = [];
    // No total: DynamoDB's item count is up to six hours old.
    const progress = showCount(context, 'records');
    let exported = 0;
    let erased = 0;
    async function* lines() {
      const scan = paginateScan(
        { client: deployment.db },
        { TableName: tableName(deployment, kind), ConsistentRead: true },
      );
      for await (const { Items = [] } of scan) {
        for (const item of Items) {
          const erasure = isErased(item) ? readStored(Erasure, item) : undefined;
          // An erasure is nobody's: a supplier's own file has none.
          if (erasure !== undefined && supplier !== undefined) continue;
          if (erasure !== undefined) {
            erased += 1;
            yield toLine(erasure);
            continue;
          }
          const record = READ[kind](item, supplier);
          if (record === null) continue;
          if (record !== undefined) {
            exported += 1;
            yield toLine(record);
            continue;
          }
          const line = exported + erased + damaged.length + 1;
          // Only the registration: the item may contain values that JSON cannot represent.
          const fields = { registration: item.registration };
          const reasons = ['the stored record is damaged; remove it, then load it again'];
          damaged.push({ row: { line, given: JSON.stringify(fields), fields }, reasons });
        }
        progress.update(exported + erased + damaged.length);
      }
    }
    await write(file, lines(), context).finally(progress.stop);
    const also = erased === 0 ? '' : ` and ${formatNumber(erased)} erased registrations`;
    const text = `${formatNumber(exported)} ${noun}${also} are in ${file}.\n`;
    const data = { kind, file, exported, erased, damaged: damaged.length };
    if (damaged.length === 0) return { text, data: { ...data, rejectedFile: null } };
    const rejectedFile = await writeRejected(file, 'ndjson', damaged);
    const notes = `Damaged records that were left out: ${formatNumber(damaged.length)}; they are in ${rejectedFile}\n`;
    return { text, notes, data: { ...data, rejectedFile }, exitCode: EXIT.incomplete };
  };

const exportContent: Export = async (file, context) => {
  const { deployment } = context;
  const progress = showCount(context, 'items');
  let items = 0;
  async function* lines() {
    for await (const item of exportedItems(deployment.db, tableName(deployment, 'content'))) {
      items += 1;
      progress.update(items);
      yield toLine(item);
    }
  }
  await write(file, lines(), context).finally(progress.stop);
  return { text: `${formatNumber(items)} content items are in ${file}.\n`, data: { file, items } };
};

const EXPORTS: readonly (readonly [noun: DataKind, about: string, Export])[] = [
  ['vehicles', 'every vehicle with its policies', exportRecords('vehicles', 'vehicles')],
  ['compliance', 'MOT, road tax and fines of every vehicle', exportRecords('compliance', 'compliance records')],
  ['content', 'every content item, with its id, timestamps and version', exportContent],
];

/** Adds `export vehicles`, `compliance` and `content`. */
export const addExportCommands = (program: Command, run: Runner): void => {
  const exports = program.command('export').description('write data to a file that import loads again');
  for (const [noun, about, perform] of EXPORTS) {
    addSupplierOption(exports.command(noun), noun, 'only what this supplier has supplied, as its own file')
      .description(about)
      .argument('<file>', 'a .ndjson file; an existing one is replaced')
      .addHelpText('after', exampleOf(`export ${noun} ${noun}.ndjson`))
      .action((file: string, { supplier }: { supplier?: string }) =>
        run((context) => {
          requireSuppliers(noun, supplier);
          if (extname(file).toLowerCase() === '.ndjson') return perform(file, context, supplier);
          throw new CommandFailure(`an export is NDJSON; give a name that ends in .ndjson: ${file}`);
        }),
      );
  }
};
