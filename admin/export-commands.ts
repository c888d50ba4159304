import { extname } from 'node:path';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Command } from 'commander';
import type { DynamoItem } from '../core/aws/database.ts';
import { ComplianceRecord } from '../core/compliance/compliance-record.ts';
import { contentKeys, parseItem } from '../core/content/content-store.ts';
import type { ContentItem } from '../core/content/item.ts';
import { readStored } from '../core/schemas/record-schema.ts';
import { Erasure, hasNoRecord, isErased, UndoneErasure } from '../core/vehicles/erasure.ts';
import { CommandFailure, type CommandResult, EXIT } from './command/command-result.ts';
import { exampleOf, formatNumber, toLines } from './command/format.ts';
import { showCount } from './command/progress.ts';
import { type CommandContext, type Runner, tableName } from './deployment/deployment.ts';
import { addSupplierOption } from './files/file-options.ts';
import { writeOutput, writeRejected } from './files/output-file.ts';
import type { RejectedRow } from './files/rows.ts';
import { scanPages } from './records/paced-scan.ts';
import { readSuppliedVehicle, readSupplierRecord } from './records/vehicle-parts.ts';

/** The line that an import restores: null when the supplier has none, undefined for a damaged item. */
const readLine = (
  kind: 'vehicles' | 'compliance',
  item: DynamoItem,
  supplier: string | undefined,
): object | null | undefined => {
  // An erasure, made or undone, belongs to no supplier.
  if (supplier !== undefined) return hasNoRecord(item) ? null : readSupplierRecord(item, supplier);
  if (isErased(item)) return readStored(Erasure, item);
  const undone = readStored(UndoneErasure, item);
  if (hasNoRecord(item)) return undone;
  const record = kind === 'vehicles' ? readSuppliedVehicle(item) : readStored(ComplianceRecord, item);
  return record && { ...record, ...undone };
};

/** The registrations of damaged records, which the API cannot return either, go to `FILE.rejected.ndjson`. */
const exportRecords = async (
  kind: 'vehicles' | 'compliance',
  file: string,
  context: CommandContext,
  supplier?: string,
): Promise<CommandResult> => {
  const { deployment, signal } = context;
  const damaged: RejectedRow[] = [];
  // No total: DynamoDB's item count is up to six hours old.
  const progress = showCount(context, 'records');
  let [exported, erased, undone] = [0, 0, 0];
  async function* lines() {
    const table = { TableName: tableName(deployment, kind) };
    for await (const items of scanPages(deployment, table)) {
      for (const item of items) {
        const record = readLine(kind, item, supplier);
        if (record === null) continue;
        if (record === undefined) {
          const line = exported + erased + undone + damaged.length + 1;
          // Only the registration: the item may contain values that JSON cannot represent.
          const fields = { registration: item.registration };
          const reasons = ['the stored record is damaged; remove it, then load it again'];
          damaged.push({ row: { line, given: JSON.stringify(fields), fields }, reasons });
          continue;
        }
        if (isErased(item)) erased += 1;
        else if (hasNoRecord(item)) undone += 1;
        else exported += 1;
        yield `${JSON.stringify(record)}\n`;
      }
      progress.update(exported + erased + undone + damaged.length);
    }
  }
  await writeOutput(file, lines(), { signal }).finally(progress.stop);
  const rejectedFile = damaged.length === 0 ? null : await writeRejected(file, damaged);
  const others = [
    erased > 0 && `Erased registrations: ${formatNumber(erased)}`,
    undone > 0 && `Registrations without a record whose erasure was undone: ${formatNumber(undone)}`,
  ];
  return {
    text: `${formatNumber(exported)} ${kind === 'vehicles' ? kind : 'compliance records'} are in ${file}.\n${toLines(others)}`,
    ...(rejectedFile !== null && {
      notes: `Damaged records that were left out: ${formatNumber(damaged.length)}; they are in ${rejectedFile}\n`,
    }),
    data: { kind, file, exported, erased, undone, damaged: damaged.length, rejectedFile },
    exitCode: rejectedFile === null ? EXIT.done : EXIT.incomplete,
  };
};

/** Every content item of live keys, in no order: an import orders lists by `created_at`. @throws UnreadableRecord */
export async function* exportedItems(
  client: DynamoDBDocumentClient,
  table: string,
  readUnits?: number,
): AsyncGenerator<ContentItem> {
  const { pk, sk } = contentKeys('live').itemKey('');
  const query = {
    TableName: table,
    ConsistentRead: true,
    FilterExpression: 'begins_with(pk, :pk) AND sk = :sk',
    ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
  };
  for await (const items of scanPages({ db: client, readUnits }, query)) yield* items.map(parseItem);
}

const exportContent = async (file: string, context: CommandContext): Promise<CommandResult> => {
  const { deployment, signal } = context;
  const progress = showCount(context, 'items');
  let items = 0;
  async function* lines() {
    for await (const item of exportedItems(deployment.db, tableName(deployment, 'content'), deployment.readUnits)) {
      items += 1;
      progress.update(items);
      yield `${JSON.stringify(item)}\n`;
    }
  }
  await writeOutput(file, lines(), { signal }).finally(progress.stop);
  return { text: `${formatNumber(items)} content items are in ${file}.\n`, data: { file, items } };
};

export const addExportCommands = (program: Command, run: Runner): void => {
  const exports = program.command('export').description('write data to a file that import loads again');
  for (const [noun, about] of [
    ['vehicles', 'every vehicle with its policies'],
    ['compliance', 'MOT, road tax and fines of every vehicle'],
    ['content', 'every content item, with its id, timestamps and version'],
  ] as const) {
    addSupplierOption(exports.command(noun), noun, 'only what this supplier has supplied, as its own file')
      .description(about)
      .argument('<file>', 'a .ndjson file; an existing one is replaced')
      .addHelpText('after', exampleOf(`export ${noun} ${noun}.ndjson`))
      .action((file: string, { supplier }: { supplier?: string }) =>
        run((context) => {
          if (extname(file).toLowerCase() !== '.ndjson') {
            throw new CommandFailure(`an export is NDJSON; give a name that ends in .ndjson: ${file}`);
          }
          return noun === 'content' ? exportContent(file, context) : exportRecords(noun, file, context, supplier);
        }),
      );
  }
};
