import { database } from './dynalite-modules.ts';
import type { Store } from './dynalite-store.ts';
import { type Answer, isJsonObject, type JsonObject, validationRefusal } from './protocol.ts';
import type { Action } from './transaction-actions.ts';

const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024;

/** What makes two actions be about one item; undefined when the key is wrong, which the action's own reason tells. */
const itemIdentity = (table: Parameters<typeof database.createKey>[1], { input }: Action): string | undefined => {
  const { TableName, Key, Item } = input;
  const wrong = isJsonObject(Key) ? database.validateKey(Key, table) : database.validateItem(Item as JsonObject, table);
  return wrong ? undefined : `${TableName} ${database.createKey((Key ?? Item) as JsonObject, table)}`;
};

const sizeOf = ({ input: { Item, Key, ExpressionAttributeValues } }: Action): number =>
  [Item, Key, ExpressionAttributeValues]
    .filter(isJsonObject)
    .reduce((bytes, part) => bytes + database.itemSize(part), 0);

/** What forbids to try a transaction at all, whatever the items hold; undefined when nothing does. */
export const transactionFault = async (store: Store, actions: readonly Action[]): Promise<Answer | undefined> => {
  const identities = new Set<string>();
  for (const action of actions) {
    const fault = store.faultIn(action.operation, action.input);
    if (fault !== undefined) return fault;
    const found = await store.tableNamed(String(action.input.TableName));
    if ('fault' in found) return found.fault;
    const identity = itemIdentity(found.table, action);
    if (identity === undefined) continue;
    if (identities.has(identity)) {
      return validationRefusal('Transaction request cannot include multiple operations on one item');
    }
    identities.add(identity);
  }
  const bytes = actions.reduce((sum, action) => sum + sizeOf(action), 0);
  if (bytes > MAX_TRANSACTION_BYTES) {
    return validationRefusal(`Transaction payload size cannot exceed 4MB. Payload Size: ${bytes}`);
  }
  return undefined;
};
