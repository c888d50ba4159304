import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { KeyRecord } from '../../core/access/key-record.ts';
import type { DynamoItem } from '../../core/dynamodb/database.ts';
import { readStored } from '../../core/schemas/record-schema.ts';
import { CommandFailure, type CommandResult, EXIT } from '../command/command-result.ts';
import { printable } from '../command/format.ts';
import { readableTable } from '../command/readable-table.ts';
import { type CommandContext, requireConfirmation } from '../deployment/deployment.ts';
import { keyStore } from './key-store.ts';
import { openKeys } from './keys.ts';
import { NAME_WIDTH } from './list-keys.ts';

const readStoredKeys = async (table: string, { db, address }: CommandContext['deployment']): Promise<DynamoItem[]> => {
  try {
    return await keyStore(db, table).listStored();
  } catch (error) {
    // DynamoDB returns the same error for a table that is still being restored.
    if (!(error instanceof ResourceNotFoundException)) throw error;
    throw new CommandFailure(`${address} has no table ${table}, or it is not ready yet`, { cause: error });
  }
};

/** Copies missing keys from another table, such as a restored backup. Existing keys keep later changes. */
export const restoreKeys = async (from: string, context: CommandContext): Promise<CommandResult> => {
  const records = await readStoredKeys(from, context.deployment);
  await requireConfirmation(`This restores the missing keys from ${from}`, context);
  const keys: { id: string; name: string; result: 'restored' | 'already there' | 'unreadable' }[] = [];
  for (const record of records) {
    const name = readStored(KeyRecord, record)?.name;
    const result =
      name === undefined ? 'unreadable' : (await openKeys(context).addMissing(record)) ? 'restored' : 'already there';
    keys.push({ id: String(record.id), name: name ?? '', result });
  }
  const count = (wanted: string) => keys.filter(({ result }) => result === wanted).length;
  const unreadable = count('unreadable');
  const rows = keys.map(({ id, name, result }) => [id, printable(name, NAME_WIDTH), result]);
  const table = readableTable(['id', 'name', 'result'], rows);
  const summary = `Restored: ${count('restored')}. Already there and not changed: ${count('already there')}.`;
  const warning = unreadable > 0 ? ` Unreadable and not restored: ${unreadable}.` : '';
  return {
    text: `${table}${summary}${warning}\n`,
    data: keys,
    exitCode: unreadable > 0 ? EXIT.incomplete : EXIT.done,
  };
};
