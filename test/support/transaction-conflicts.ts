import type { Store } from '../../lib/local/engine/dynalite-store.ts';
import type { PerformOperation } from '../../lib/local/engine/http-server.ts';
import { isJsonObject, type JsonObject, RejectedRequest, responseTo } from '../../lib/local/engine/protocol.ts';
import { itemIdentity } from '../../lib/local/engine/transaction-request.ts';
import { requireSuccess } from '../../lib/local/engine/transaction-response.ts';

const SINGLE_WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

const conflict = () => new RejectedRequest('TransactionConflictException', 'Transaction is ongoing for the item');
const SUCCESS = { status: 200, body: {} };

/** The requests for single items inside of others, such as `{ Put: { TableName, Item } }`. */
const innerRequests = (items: unknown): readonly JsonObject[] =>
  Array.isArray(items) ? items.flatMap((item) => Object.values(item as object).filter(isJsonObject)) : [];

/**
 * Writes that conflict as in DynamoDB ("Transaction conflict handling" in its Developer Guide). A transaction takes time.
 * Meanwhile a transaction on one of its items is cancelled, and a single write is rejected. Reads already see what it wrote,
 * before its response. Not here: conflicts of batches and of transactional reads, which no change of content sends.
 * @param transactionTime resolves when a transaction has taken its time
 */
export const withConflicts =
  (transactionTime: () => Promise<unknown>) =>
  (store: Store, perform: PerformOperation): PerformOperation => {
    const held = new Set<string>();
    const identityOf = async (request: JsonObject): Promise<string> =>
      itemIdentity(await store.tableNamed(String(request.TableName)), request) ?? '';

    return async (operation, input) => {
      if (SINGLE_WRITES.has(operation) && held.has(await identityOf(input))) throw conflict();
      if (operation !== 'TransactWriteItems') return perform(operation, input);
      const items = await Promise.all(innerRequests(input.TransactItems).map(identityOf));
      requireSuccess(items.map((item) => (held.has(item) ? responseTo(conflict()) : SUCCESS)));
      for (const item of items) held.add(item);
      try {
        const [response] = await Promise.all([perform(operation, input), transactionTime()]);
        return response;
      } finally {
        for (const item of items) held.delete(item);
      }
    };
  };
