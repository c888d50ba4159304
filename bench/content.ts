/** Changes of content by many clients at once, on the embedded engine at 10 ms a transaction. */
import { setTimeout } from 'node:timers/promises';
import pLimit from 'p-limit';
import { contentTable } from '../core/content/content-table.ts';
import { database } from '../core/dynamodb/database.ts';
import { deadlineIn } from '../core/runtime/deadline.ts';
import { LOCAL_TABLE_NAMES } from '../core/tables.ts';
import { startEmbeddedEngine } from '../local/engine/embedded.ts';
import { RejectedRequest, responseTo } from '../local/engine/protocol.ts';
import { someFields } from '../test/support/content.ts';
import { prepareEngine } from './prepared-engine.ts';
import { grouped, type Measurement, percentile, table } from './report.ts';

const CHANGES = 500;
const CLIENTS = [1, 10, 50];
const TRANSACTION_MS = 10;
const TIMEOUT_MS = 60_000;

type Action = Readonly<Record<string, { readonly Key?: object; readonly Item?: Readonly<Record<string, object>> }>>;

const keysOf = (actions: readonly Action[]): string[] =>
  actions.flatMap((action) =>
    Object.values(action).map(({ Key, Item }) => JSON.stringify(Key ?? { pk: Item?.pk, sk: Item?.sk })),
  );

/**
 * For a process of its own (`forkCall`). A transaction holds its items for 10 ms, and cancels another one that meets it
 * there, as in DynamoDB; the embedded engine alone does one at a time.
 */
export const startTransactingEngine = async () => {
  const held = new Set<string>();
  const { endpoint } = await startEmbeddedEngine({
    port: 0,
    intercept: (perform) => async (operation, input) => {
      if (operation !== 'TransactWriteItems') return perform(operation, input);
      const keys = keysOf(input.TransactItems as readonly Action[]);
      const CancellationReasons = keys.map((key) => ({ Code: held.has(key) ? 'TransactionConflict' : 'None' }));
      const meets = keys.some((key) => held.has(key));
      if (!meets) for (const key of keys) held.add(key);
      await setTimeout(TRANSACTION_MS);
      if (meets) {
        return responseTo(new RejectedRequest('TransactionCanceledException', 'Conflict', { CancellationReasons }));
      }
      return perform(operation, input).finally(() => {
        for (const key of keys) held.delete(key);
      });
    },
  });
  return { endpoint };
};

const moment = () => ({ now: new Date(), deadline: deadlineIn(TIMEOUT_MS) });

type Change = () => Promise<unknown>;

/** Runs changes, so many at a time. @returns changes a second, and the milliseconds that 99 % of them take at most */
const timed = async (clients: number, changes: readonly Change[]) => {
  const times: number[] = [];
  const started = performance.now();
  await pLimit(clients).map([...changes], async (change) => {
    const sent = performance.now();
    await change();
    times.push(performance.now() - sent);
  });
  return { perSecond: (1_000 * changes.length) / (performance.now() - started), p99: percentile(times, 0.99) };
};

const measure: Measurement = async () => {
  const { close } = await prepareEngine(new URL(import.meta.url), 'startTransactingEngine');
  const db = database();
  let transactions = 0;
  db.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'TransactWriteItemsCommand' || commandName === 'TransactWriteCommand') transactions += 1;
        return next(args);
      },
    { step: 'finalizeRequest' },
  );
  const content = contentTable(db, LOCAL_TABLE_NAMES.content, 'live');
  const creating = (name: string, domains: number) =>
    Array.from({ length: CHANGES }, (_, nth) => () => {
      return content.create(someFields(`${name}-${nth % domains}.example`, `item-${nth}`), undefined, moment());
    });

  const rows: string[][] = [];
  const row = async (name: string, clients: number, changes: readonly Change[]) => {
    const before = transactions;
    const { perSecond, p99 } = await timed(clients, changes);
    const each = ((transactions - before) / changes.length).toFixed(1);
    rows.push([name, String(clients), grouped(perSecond), each, grouped(p99)]);
  };
  for (const clients of CLIENTS) {
    await row('creations into one domain', clients, creating(`one-${clients}`, 1));
    await row('creations into 50 domains', clients, creating(`many-${clients}`, 50));
    const items = await Promise.all(creating(`gone-${clients}`, 1).map((create) => create()));
    const deletion =
      ({ item }: (typeof items)[number]) =>
      () =>
        content.remove(item.id, {}, moment());
    await row('deletions from one domain', clients, items.map(deletion));
  }
  await close();
  return [table(['changes', 'clients', 'a second', 'transactions each', 'p99 ms'], rows)];
};
export default measure;
