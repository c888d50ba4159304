import { randomBytes } from 'node:crypto';
import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '../../core/dynamodb/batch-get.ts';
import { type TransactWrite, transact } from '../../core/dynamodb/transact.ts';
import { backoffMs, deadlineIn } from '../../core/runtime/deadline.ts';
import { parseStored, readStored } from '../../core/schemas/record-schema.ts';
import { Erasure, isErased } from '../../core/vehicles/erasure.ts';
import { recordKey } from '../../core/vehicles/vehicles-table.ts';
import { type CommandContext, tableName } from '../deployment/deployment.ts';
import { conditionOf, REVISION_BYTES, revisionOf, STALL_TIMEOUT_MS } from './stored-records.ts';

/** An erasure takes the place of the vehicle's records in both tables. Undoing it brings no record back. */
export type ErasureChange =
  | {
      readonly kind: 'erase';
      readonly registration: string;
      readonly erasure: Erasure['erased'];
      /** Whether the erasure is a copy from another table. It then counts as `erased` even when nothing was stored. */
      readonly isCopy: boolean;
    }
  | { readonly kind: 'undoErasure'; readonly registration: string };

/**
 * Writes or undoes an erasure in both tables in one transaction, which fails when a record has changed since it was
 * read. An erasure that is stored already is kept; when only one table has it, as after a restore, it is copied to the
 * other.
 * @returns `notThere` when nothing was stored or there is no erasure to undo, `unchanged` when both tables had an
 * erasure
 */
export const changeErasure = async (
  change: ErasureChange,
  dryRun: boolean,
  { deployment }: CommandContext,
): Promise<'erased' | 'undone' | 'notThere' | 'unchanged'> => {
  const { registration } = change;
  const tables = [tableName(deployment, 'vehicles'), tableName(deployment, 'compliance')];
  const wanted = tables.map((table) => ({ table, keys: [recordKey(registration)], consistent: true }));
  const revision = randomBytes(REVISION_BYTES).toString('hex');
  const deadline = deadlineIn(STALL_TIMEOUT_MS);
  for (let tries = 0; ; tries += 1) {
    if (tries > 0) await deadline.pause(backoffMs(tries));
    const { items, failure } = await batchGet(deployment.db, wanted, deadline);
    if (failure !== undefined) throw failure;
    const stored = tables.flatMap((table) => items.get(table) ?? []);
    const [earlier, ...others] = stored.filter(isErased);
    if (change.kind === 'undoErasure' && earlier === undefined) return 'notThere';
    if (change.kind === 'erase' && others.length > 0) return 'unchanged';
    const writes = tables.map((TableName): TransactWrite => {
      const [item] = items.get(TableName) ?? [];
      const condition = conditionOf(item && { revision: revisionOf(item) });
      if (change.kind === 'erase') {
        const erased = (earlier && readStored(Erasure, earlier)?.erased) ?? change.erasure;
        return { Put: { TableName, Item: { registration, erased, revision }, ...condition } };
      }
      // One table has an erasure and the other a record: another command may be erasing the vehicle, and the two tables
      // were read at different moments. The record is written unchanged, if it is still stored.
      if (item !== undefined && !isErased(item)) return { Put: { TableName, Item: item, ...condition } };
      return { Delete: { TableName, Key: recordKey(registration), ...condition } };
    });
    if (dryRun || (await transact(deployment.db, writes, deadline)).committed) {
      if (change.kind === 'undoErasure') return 'undone';
      return stored.length === 0 && !change.isCopy ? 'notThere' : 'erased';
    }
  }
};

/** All erasures in a table, which is read whole; undefined when there is no such table. */
export const findErasures = async (
  table: string,
  { deployment }: CommandContext,
): Promise<readonly Erasure[] | undefined> => {
  const wanted = { TableName: table, ConsistentRead: true, FilterExpression: 'attribute_exists(erased)' };
  try {
    const pages = await Array.fromAsync(paginateScan({ client: deployment.db }, wanted));
    return pages.flatMap(({ Items = [] }) => Items.map((item) => parseStored(Erasure, item)));
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
};
