import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { KeyRecord, keysTable } from '../../../functions/access/keys-table.ts';
import type { Item } from '../../../functions/dynamodb/database.ts';
import { readStored } from '../../../functions/schemas/stored-record.ts';
import { CommandFailure } from '../command/command-failure.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import { readableTable } from '../command/readable-table.ts';
import type { CommandRun } from '../deployment/command-run.ts';
import { requireConfirmation } from '../deployment/confirmation.ts';

type Result = 'restored' | 'already there' | 'unreadable';

const storedKeysOf = async (table: string, { db, address }: CommandRun['deployment']): Promise<Item[]> => {
  try {
    const records = await keysTable(db, table).stored();
    if (records.every(({ id }) => typeof id === 'string')) return records;
  } catch (error) {
    // DynamoDB answers the same for a table that is still being restored.
    if (!(error instanceof ResourceNotFoundException)) throw error;
    throw new CommandFailure(`${address} has no table ${table}, or it is not ready yet`, { cause: error });
  }
  throw new CommandFailure(`${table} is not a table of API keys: nothing was done`);
};

const nameIn = (record: Item): string | undefined => readStored(KeyRecord, record)?.name;

const summaryOf = (results: readonly Result[]): string => {
  const count = (result: Result) => results.filter((one) => one === result).length;
  const unreadable = count('unreadable');
  const sentences = [
    `Restored: ${count('restored')}. Already there and left as they are: ${count('already there')}.`,
    ...(unreadable > 0 ? [`Unreadable and not restored: ${unreadable}.`] : []),
  ];
  return `${sentences.join(' ')}\n`;
};

/**
 * Copies the keys of another table, such as one restored from a backup, that are missing. Keys that are there stay as they
 * are: what was revoked or changed since then stays so. A second run changes nothing.
 * @throws CommandFailure when there is no such table, or it holds no keys
 */
export const restoreKeys = async (from: string, run: CommandRun): Promise<ExitCode> => {
  const { deployment, context } = run;
  const keys = keysTable(deployment.db, deployment.tableNames.keys);
  const records = await storedKeysOf(from, deployment);
  await requireConfirmation(`This brings back the keys of ${from} that are missing`, run);
  const rows: [id: string, name: string, result: Result][] = [];
  for (const record of records) {
    const name = nameIn(record);
    const result = name === undefined ? 'unreadable' : (await keys.addMissing(record)) ? 'restored' : 'already there';
    rows.push([String(record.id), name ?? '', result]);
  }
  const results = rows.map(([, , result]) => result);
  if (rows.length > 0) context.stdout.write(readableTable(['id', 'name', 'result'], rows));
  context.stdout.write(summaryOf(results));
  return results.includes('unreadable') ? EXIT.someRejected : EXIT.done;
};
