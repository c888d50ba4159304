import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { ComplianceRecord } from '../../../core/compliance/record.ts';
import { readStored } from '../../../core/schemas/record.ts';
import { VehicleRecord } from '../../../core/vehicles/record.ts';
import { type CommandResult, EXIT } from '../command/outcome.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { rejectedFile, rejectedPath } from '../files/rejected-file.ts';
import { requireNdjson, writeExport } from './export-file.ts';

const number = (value: number): string => value.toLocaleString('en-GB');

/** The record of a stored item, which an import restores unchanged; undefined when the item is damaged. */
const READ = {
  vehicles: (item: unknown): object | undefined => readStored(VehicleRecord, item),
  compliance: (item: unknown): object | undefined => {
    const record = readStored(ComplianceRecord, item);
    // Without the field, an import would take the time of the file.
    return record && { ...record, lastUpdated: record.lastUpdated ?? null };
  },
};

/**
 * Writes every vehicle, or every compliance record, to a file for `import`. The registrations of damaged records, which the
 * API cannot return either, are written to `FILE.rejected.ndjson`.
 * @throws CommandFailure when a file cannot be written
 */
export const exportRecords = async (
  noun: 'vehicles' | 'compliance',
  path: string,
  context: CommandContext,
): Promise<CommandResult> => {
  requireNdjson(path);
  const { db, tableNames } = context.deployment;
  const damagedFile = await rejectedFile(path);
  let [exported, damaged] = [0, 0];

  async function* records() {
    const scan = paginateScan({ client: db }, { TableName: tableNames[noun], ConsistentRead: true });
    for await (const { Items = [] } of scan) {
      for (const item of Items) {
        const record = READ[noun](item);
        if (record === undefined) {
          damaged += 1;
          // Only the registration: the item may contain values that JSON cannot represent.
          const text = JSON.stringify({ registration: item.registration });
          const row = { line: exported + damaged, text, isJson: true, fields: {}, issues: [] };
          await damagedFile.add([{ row, reasons: ['the stored record is damaged; load it again from its source'] }]);
        } else {
          exported += 1;
          yield record;
        }
      }
      // A count without a total: DynamoDB's item count is up to six hours old.
      if (context.showsProgress) context.stderr.write(`\r${number(exported + damaged)} records read`);
    }
  }

  const interrupted = await writeExport(path, records(), context).finally(() => {
    if (context.showsProgress) context.stderr.write('\n');
  });
  await damagedFile.close();
  if (interrupted) return interrupted;
  const data = { kind: noun, file: path, exported, damaged, rejectedFile: damaged > 0 ? rejectedPath(path) : null };
  const text = `${number(exported)} ${noun === 'vehicles' ? 'vehicles' : 'compliance records'} are in ${path}.\n`;
  if (damaged === 0) return { text, data };
  const notes = `Damaged records that were left out: ${number(damaged)}; they are in ${rejectedPath(path)}\n`;
  return { text, notes, data, exitCode: EXIT.someRejected };
};
