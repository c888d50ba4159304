import { randomBytes } from 'node:crypto';
import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '../../core/dynamodb/batch-get.ts';
import type { DynamoItem } from '../../core/dynamodb/database.ts';
import { type TransactWrite, transact } from '../../core/dynamodb/transact.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { parseStored, readStored } from '../../core/schemas/record-schema.ts';
import { Erasure, isErased } from '../../core/vehicles/erasure.ts';
import { recordKey } from '../../core/vehicles/vehicles-table.ts';
import { type CommandContext, tableName } from '../deployment/deployment.ts';
import { conditionOf, REVISION_BYTES, STALL_TIMEOUT_MS } from './stored-records.ts';

/** What is stored of a registration in one of the two tables. */
interface StoredPlace {
  readonly table: string;
  readonly item: DynamoItem | undefined;
}

const erasedIn = (places: readonly StoredPlace[]) => places.filter(({ item }) => item !== undefined && isErased(item));

const revisionOf = ({ item }: StoredPlace) =>
  item && { revision: typeof item.revision === 'string' ? item.revision : undefined };

/** Erasures, each of which stands in both tables. A transaction writes both, if they are as they were read. */
export const erasures = (context: CommandContext) => {
  const { deployment } = context;
  const { db } = deployment;
  const tables = [tableName(deployment, 'vehicles'), tableName(deployment, 'compliance')];

  const find = async (registration: string): Promise<readonly StoredPlace[]> => {
    const wanted = tables.map((table) => ({ table, keys: [recordKey(registration)], consistent: true }));
    const { items, failure } = await batchGet(db, wanted, deadlineIn(STALL_TIMEOUT_MS));
    if (failure !== undefined) throw failure;
    return tables.map((table) => ({ table, item: items.get(table)?.[0] }));
  };

  /** @returns false when something else is stored by now */
  const write = async (writes: readonly TransactWrite[]): Promise<boolean> =>
    (await transact(db, writes, deadlineIn(STALL_TIMEOUT_MS))).committed;

  return {
    /**
     * Puts an erasure in the place of both records. An earlier one stays as it is, and is completed where one table was
     * restored without it.
     * @returns `notThere` when it was put where neither table had a record, `unchanged` when both had an erasure
     */
    erase: async (
      registration: string,
      erased: Erasure['erased'],
      dryRun: boolean,
    ): Promise<'erased' | 'notThere' | 'unchanged'> => {
      for (;;) {
        const places = await find(registration);
        const [earlier, ...others] = erasedIn(places);
        if (others.length > 0) return 'unchanged';
        const outcome = places.every(({ item }) => item === undefined) ? 'notThere' : 'erased';
        const said = (earlier && readStored(Erasure, earlier.item)?.erased) ?? erased;
        const Item = { registration, erased: said, revision: randomBytes(REVISION_BYTES).toString('hex') };
        const puts = places.map((place) => ({
          Put: { TableName: place.table, Item, ...conditionOf(revisionOf(place)) },
        }));
        if (dryRun || (await write(puts))) return outcome;
      }
    },

    /** Deletes an erasure. */
    undo: async (registration: string, dryRun: boolean): Promise<'undone' | 'notThere'> => {
      for (;;) {
        const places = await find(registration);
        if (erasedIn(places).length === 0) return 'notThere';
        // A record beside an erasure is written as it is: it may be read before the erasure, which is in progress.
        const writes = places.map((place) => {
          const { table: TableName, item: Item } = place;
          const condition = conditionOf(revisionOf(place));
          if (Item !== undefined && !isErased(Item)) return { Put: { TableName, Item, ...condition } };
          return { Delete: { TableName, Key: recordKey(registration), ...condition } };
        });
        if (dryRun || (await write(writes))) return 'undone';
      }
    },
  };
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
