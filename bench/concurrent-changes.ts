/** Creations and deletions of content by many clients at once, on an engine whose transactions conflict as DynamoDB's do. */
import { setTimeout } from 'node:timers/promises';
import { contentTable } from '../core/content/content-table.ts';
import { deadlineIn } from '../core/runtime/deadline.ts';
import { prefixedTableNames } from '../core/tables.ts';
import { checkContent } from '../lib/content-maintenance/content-check.ts';
import { createTables } from '../lib/local/engine/create-tables.ts';
import type { Store } from '../lib/local/engine/dynalite-store.ts';
import { startEmbeddedEngine } from '../lib/local/engine/embedded.ts';
import type { PerformOperation } from '../lib/local/engine/http-server.ts';
import { type JsonObject, RejectedRequest, responseTo } from '../lib/local/engine/protocol.ts';
import { itemIdentity } from '../lib/local/engine/transaction-request.ts';
import { requireSuccess } from '../lib/local/engine/transaction-response.ts';
import { openDatabase } from '../lib/local/sample-database.ts';
import { fillDomain } from '../test/support/content.ts';
import { forkCall } from '../test/support/fork.ts';
import { atMost, percentile, showProgress, table, targetTable } from './report.ts';
import { benchFields } from './requests.ts';

/** Milliseconds that a transaction takes; in Node's timers up to one more. */
const TRANSACTION_MS = 10;
const CLIENTS = [1, 10, 50];
/** Changes of each run: enough for a p99, and a run of one client takes seconds. */
const changesOf = (clients: number): number => (clients === 1 ? 200 : 1_000);
const DOMAINS = 50;
/** Ten buckets in each of their two lists. */
const STORED = 5_000;
/** As a function has for its response. */
const DEADLINE_MS = 9_000;
const LIMIT_MS = 3_000;

const SINGLE_WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

const conflict = () => new RejectedRequest('TransactionConflictException', 'Transaction is ongoing for the item');
const SUCCESS = { status: 200, body: {} };

/**
 * Writes that conflict as in DynamoDB ("Transaction conflict handling" in its Developer Guide). A transaction takes time.
 * Meanwhile a transaction on one of its items is cancelled, and a single write is rejected. Reads already see what it wrote,
 * before its response. Not here: conflicts of batches and of transactional reads, which no change of content sends.
 */
const withConflicts = (store: Store, perform: PerformOperation): PerformOperation => {
  const held = new Set<string>();
  const identityOf = async (request: JsonObject): Promise<string> =>
    itemIdentity(await store.tableNamed(String(request.TableName)), request) ?? '';

  return async (operation, input) => {
    if (SINGLE_WRITES.has(operation) && held.has(await identityOf(input))) throw conflict();
    if (operation !== 'TransactWriteItems') return perform(operation, input);
    const actions = (input.TransactItems as readonly object[]).flatMap(
      (action) => Object.values(action) as JsonObject[],
    );
    const items = await Promise.all(actions.map(identityOf));
    requireSuccess(items.map((item) => (held.has(item) ? responseTo(conflict()) : SUCCESS)));
    for (const item of items) held.add(item);
    try {
      const [response] = await Promise.all([perform(operation, input), setTimeout(TRANSACTION_MS)]);
      return response;
    } finally {
      for (const item of items) held.delete(item);
    }
  };
};

/** For a process of its own (`forkCall`). */
export const startConflictingEngine = () => startEmbeddedEngine({ port: 0, intercept: withConflicts });

type Database = ReturnType<typeof openDatabase>;
/** Makes the nth change of a kind, which is no other's, on tables of its own. */
type PrepareChanges = (db: Database, name: string) => Promise<(nth: number) => Promise<unknown>>;

const moment = () => ({ now: new Date(), deadline: deadlineIn(DEADLINE_MS) });

const creations =
  (domains: number): PrepareChanges =>
  async (db, name) => {
    const content = contentTable(db, name, 'live');
    return (nth) => content.create(benchFields(`d${nth % domains}.example`, `item-${nth}`), undefined, moment());
  };

const deletions: PrepareChanges = async (db, name) => {
  const ids = await fillDomain(db, name, 'bench.example', STORED, benchFields);
  const random = ids.map((id) => ({ id, order: Math.random() })).sort((a, b) => a.order - b.order);
  const content = contentTable(db, name, 'live');
  return (nth) => content.remove(random[nth]?.id ?? '', undefined, moment());
};

const SCENARIOS = [
  { name: 'creations into one domain', prepare: creations(1) },
  { name: `creations into ${DOMAINS} domains`, prepare: creations(DOMAINS) },
  { name: `deletions at random of ${STORED} items`, prepare: deletions },
];

/** Every client makes one change after the other. */
const run = async (change: (nth: number) => Promise<unknown>, clients: number) => {
  const times: number[] = [];
  let failed = 0;
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < changesOf(clients)) {
      next += 1;
      const begun = performance.now();
      await change(next - 1).catch(() => {
        failed += 1;
      });
      times.push(performance.now() - begun);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  return { times, failed, perSecond: (times.length * 1_000) / (performance.now() - started) };
};

const measureAll = async (endpoint: string) => {
  const db = openDatabase(endpoint);
  let transactions = 0;
  db.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName === 'TransactWriteItemsCommand') transactions += 1;
        return next(args);
      },
    { step: 'initialize', name: 'transactionCounter' },
  );
  const measured = [];
  for (const { name, prepare } of SCENARIOS) {
    for (const clients of CLIENTS) {
      showProgress(measured.length, SCENARIOS.length * CLIENTS.length, `${name}, ${clients} clients`);
      const names = prefixedTableNames(`bench-${measured.length}-`);
      await createTables(db, names);
      const change = await prepare(db, names.content);
      transactions = 0;
      const taken = await run(change, clients);
      measured.push({ name, clients, ...taken, perChange: transactions / taken.times.length });
      const { inconsistencies } = await checkContent(db, names.content);
      if (inconsistencies.length > 0) throw new Error(`${inconsistencies.length} inconsistencies`);
    }
  }
  db.destroy();
  return measured;
};

const measure = async (): Promise<readonly string[]> => {
  const engine = await forkCall<{ readonly endpoint: string }>(new URL(import.meta.url), 'startConflictingEngine');
  try {
    const measured = await measureAll(engine.result.endpoint);
    const failures = measured.reduce((sum, { failed }) => sum + failed, 0);
    const slowest = Math.max(...measured.map(({ times }) => percentile(times, 0.99)));
    return [
      targetTable(atMost('Changes that failed', 0, failures, 0), atMost('p99 ms, worst of all', LIMIT_MS, slowest, 0)),
      `A transaction takes ${TRANSACTION_MS} ms; another one on one of its items meanwhile is cancelled. Each client makes one change after the other.`,
      table(
        ['changes', 'clients', 'a second', 'transactions sent for one', 'p50 ms', 'p99 ms', 'slowest ms', 'failed'],
        measured.map(({ name, clients, perSecond, perChange, times, failed }) => [
          ...[name, clients, perSecond.toFixed(0), perChange.toFixed(1)],
          ...[0.5, 0.99, 1].map((share) => percentile(times, share).toFixed(0)),
          failed,
        ]),
      ),
    ];
  } finally {
    await engine.stop();
  }
};
export default measure;
