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
  Array.isArray(items)
    ? items.flatMap((item) => (isJsonObject(item) ? Object.values(item).filter(isJsonObject) : []))
    : [];

/**
 * Operations that conflict as in DynamoDB ("Transaction conflict handling" in its Developer Guide). A transaction takes time.
 * Meanwhile a transaction on one of its items is cancelled, and a single write is rejected. Other reads already see what it
 * wrote, before its response.
 * AWS does not document what BatchWriteItem does with such an item: here it is unprocessed, as after other failures.
 * @param transactionTime resolves when a transaction has taken its time
 */
export const withConflicts =
  (transactionTime: () => Promise<unknown>) =>
  (store: Store, perform: PerformOperation): PerformOperation => {
    const heldItems = new Set<string>();
    const heldTokens = new Set<string>();

    const identityOf = async (request: JsonObject): Promise<string> =>
      itemIdentity(await store.tableNamed(String(request.TableName)), request) ?? '';
    const isHeld = async (request: JsonObject): Promise<boolean> => heldItems.has(await identityOf(request));

    /** @throws RejectedRequest with a reason for each item when one of them is held */
    const requireFree = (identities: readonly string[]): void =>
      requireSuccess(identities.map((identity) => (heldItems.has(identity) ? responseTo(conflict()) : SUCCESS)));

    const transactWrite: PerformOperation = async (operation, input) => {
      const identities = await Promise.all(innerRequests(input.TransactItems).map(identityOf));
      const token = String(input.ClientRequestToken ?? '');
      if (heldTokens.has(token))
        throw new RejectedRequest('TransactionInProgressException', 'The token is in progress');
      requireFree(identities);
      const [items, tokens] = [identities.filter(Boolean), [token].filter(Boolean)];
      for (const item of items) heldItems.add(item);
      for (const held of tokens) heldTokens.add(held);
      try {
        const [response] = await Promise.all([perform(operation, input), transactionTime()]);
        return response;
      } finally {
        for (const item of items) heldItems.delete(item);
        for (const held of tokens) heldTokens.delete(held);
      }
    };

    const batchWrite: PerformOperation = async (operation, input) => {
      const free: Record<string, unknown[]> = {};
      const held: Record<string, unknown[]> = {};
      for (const [TableName, writes] of Object.entries(isJsonObject(input.RequestItems) ? input.RequestItems : {})) {
        for (const write of Array.isArray(writes) ? writes : []) {
          const [request] = innerRequests([write]);
          const place = request && (await isHeld({ ...request, TableName })) ? held : free;
          place[TableName] = [...(place[TableName] ?? []), write];
        }
      }
      if (Object.keys(held).length === 0) return perform(operation, input);
      if (Object.keys(free).length === 0) return { status: 200, body: { UnprocessedItems: held } };
      const { status, body } = await perform(operation, { ...input, RequestItems: free });
      return { status, body: status === 200 ? { ...body, UnprocessedItems: held } : body };
    };

    return async (operation, input) => {
      if (operation === 'TransactWriteItems') return transactWrite(operation, input);
      if (operation === 'BatchWriteItem') return batchWrite(operation, input);
      if (SINGLE_WRITES.has(operation) && (await isHeld(input))) throw conflict();
      if (operation === 'TransactGetItems') {
        requireFree(await Promise.all(innerRequests(input.TransactItems).map(identityOf)));
      }
      return perform(operation, input);
    };
  };
