import { DescribeTableCommand, type DynamoDBClient, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { batchGet } from '../../core/aws/batch-get.ts';
import type { DynamoItem } from '../../core/aws/database.ts';
import { type TransactWrite, transact } from '../../core/aws/transact.ts';
import { backoffMs, deadlineIn } from '../../core/runtime/deadline.ts';
import { readStored } from '../../core/schemas/record-schema.ts';
import { Erasure, hasNoRecord, isErased, UndoneErasure } from '../../core/vehicles/erasure.ts';
import { recordKey } from '../../core/vehicles/vehicles-table.ts';
import { CommandFailure } from '../command/command-result.ts';
import { type CommandContext, tableName } from '../deployment/deployment.ts';
import { scanPages } from './paced-scan.ts';
import { READ_TIMEOUT_MS, retryTransient, STALL_TIMEOUT_MS } from './retry-transient.ts';
import { conditionOf, newRevision, revisionOf } from './stored-records.ts';

/** An erasure, or when it was undone. Of two, the later one counts, whether it is stored, in a file or in a backup. */
export type ErasureState = Pick<Erasure, 'erased'> | Pick<UndoneErasure, 'erasureUndone'>;

/** An erasure takes the place of the vehicle's records in both tables. Undoing it brings no record back. */
export type ErasureChange =
  | { readonly kind: 'erase'; readonly registration: string; readonly erasure: Erasure['erased'] }
  | { readonly kind: 'undoErasure'; readonly registration: string; readonly at: string }
  /** What another table or an export has. */
  | { readonly kind: 'copyErasure'; readonly registration: string; readonly state: ErasureState };

const isErasure = (state: ErasureState): state is Pick<Erasure, 'erased'> => 'erased' in state;

/** All times are written in one form, so they compare as texts. */
const timeOf = (state: ErasureState | undefined): string => {
  if (state === undefined) return '';
  return isErasure(state) ? state.erased.at : state.erasureUndone;
};

/** Whether a state counts where the other one is stored. */
export const isLaterState = (state: ErasureState, other: ErasureState | undefined): boolean =>
  timeOf(state) > timeOf(other);

const isSame = (state: ErasureState | undefined, other: ErasureState): boolean =>
  state !== undefined && timeOf(state) === timeOf(other) && isErasure(state) === isErasure(other);

/** The state of a stored item. The time of a damaged erasure is blank, so that any other state is later. */
const stateOf = (item: DynamoItem): ErasureState | undefined => {
  if (isErased(item)) return { erased: readStored(Erasure, item)?.erased ?? { at: '', by: '' } };
  const undone = readStored(UndoneErasure, item);
  return undone && { erasureUndone: undone.erasureUndone };
};

/** The time, or the first one after the state that is stored. */
const timeAfter = (last: ErasureState | undefined, at: string): string =>
  timeOf(last) < at || Number.isNaN(Date.parse(timeOf(last)))
    ? at
    : new Date(Date.parse(timeOf(last)) + 1).toISOString();

/** The state that a change wants where `last` is stored; undefined when there is no erasure to undo. */
const stateAfter = (change: ErasureChange, last: ErasureState | undefined): ErasureState | undefined => {
  if (change.kind === 'copyErasure') return last && !isLaterState(change.state, last) ? last : change.state;
  const erased = last && isErasure(last) ? last : undefined;
  if (change.kind === 'undoErasure') return erased && { erasureUndone: timeAfter(last, change.at) };
  if (erased && timeOf(erased) !== '') return erased;
  return { erased: { ...change.erasure, at: timeAfter(last, change.erasure.at) } };
};

/**
 * Brings both tables to the state that a change wants, in one transaction, which fails when a record has changed since
 * it was read. What is later stays: an erasure that is stored already, and what a copy is older than. When only one
 * table has it, as after a restore, it is copied to the other.
 * @returns `notThere` when nothing was stored or there is no erasure to undo, `unchanged` when both tables had this
 * state; for a copy that is older, `kept` when the erasure has been undone since, and `erased` when it was made since
 */
export const changeErasure = async (
  change: ErasureChange,
  dryRun: boolean,
  { deployment }: CommandContext,
): Promise<'erased' | 'undone' | 'notThere' | 'unchanged' | 'kept'> => {
  const { registration } = change;
  const tables = [tableName(deployment, 'vehicles'), tableName(deployment, 'compliance')];
  const reads = tables.map((table) => ({ table, consistent: true }));
  const revision = newRevision();
  const deadline = deadlineIn(STALL_TIMEOUT_MS);
  const readItems = async () => {
    const keys = [recordKey(registration)];
    const { items, failure } = await batchGet(deployment.db, reads, keys, deadlineIn(READ_TIMEOUT_MS));
    if (failure !== undefined) throw failure;
    return items;
  };
  for (let tries = 0; ; tries += 1) {
    if (tries > 0) await deadline.pause(backoffMs(tries));
    const items = await retryTransient(readItems);
    const stored = tables.map((TableName) => ({ TableName, item: items.get(TableName)?.[0] }));
    const states = stored.map(({ item }) => item && stateOf(item));
    const last = states.reduce((one, other) => (other && isLaterState(other, one) ? other : (one ?? other)));
    // An older erasure of one table is taken back as the other one says.
    const isPartlyErased = change.kind === 'undoErasure' && states.some((state) => state && isErasure(state));
    const wanted = stateAfter(change, last) ?? (isPartlyErased ? last : undefined);
    if (wanted === undefined) return 'notThere';
    const isStored = states.every((state) => isSame(state, wanted));
    const writes = stored.map(({ TableName, item }): TransactWrite => {
      const record = isErasure(wanted) || item === undefined || hasNoRecord(item) ? { registration } : item;
      const condition = conditionOf(item && { revision: revisionOf(item) });
      return { Put: { TableName, Item: { ...record, ...wanted, revision }, ...condition } };
    });
    if (isStored || dryRun || (await transact(deployment.db, writes, deadline)).committed) {
      const asked = change.kind === 'copyErasure' ? isErasure(change.state) : change.kind === 'erase';
      if (isErasure(wanted) !== asked) return asked ? 'kept' : 'erased';
      if (isStored) return 'unchanged';
      if (!asked) return 'undone';
      const wasThere = stored.some(({ item }) => item && (isErased(item) || !hasNoRecord(item)));
      return wasThere || change.kind === 'copyErasure' ? 'erased' : 'notThere';
    }
  }
};

/** The state of each vehicle that is or was erased, in a table, which is read whole; undefined without this table. */
export const findErasures = async (
  table: string,
  { deployment }: CommandContext,
): Promise<ReadonlyMap<string, ErasureState> | undefined> => {
  const FilterExpression = 'attribute_exists(erased) OR attribute_exists(erasureUndone)';
  const wanted = { TableName: table, FilterExpression };
  const client: DynamoDBClient = deployment.db;
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
    if (Table?.KeySchema?.[0]?.AttributeName !== 'registration') {
      throw new CommandFailure(`${table} has no vehicles or compliance records: nothing was changed`);
    }
    const items = (await Array.fromAsync(scanPages(deployment, wanted))).flat();
    return new Map(
      items.map((item) => {
        const read = readStored(isErased(item) ? Erasure : UndoneErasure, item);
        if (read === undefined) throw new CommandFailure(`${table} has a damaged erasure; "export" names it`);
        const { registration, ...state } = read;
        return [registration, state];
      }),
    );
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
};
