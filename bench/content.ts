/**
 * Content on the embedded engine: changes by many clients at once, at 10 ms a transaction, and the read units of pages.
 * `BENCH_CHANGES=200 BENCH_ITEMS='1000'` makes it short.
 */
import { setTimeout } from 'node:timers/promises';
import pLimit from 'p-limit';
import { contentTable } from '../core/content/content-table.ts';
import { database } from '../core/dynamodb/database.ts';
import { deadlineIn } from '../core/runtime/deadline.ts';
import { LOCAL_TABLE_NAMES } from '../core/tables.ts';
import { startEmbeddedEngine } from '../local/engine/embedded.ts';
import { RejectedRequest, responseTo } from '../local/engine/protocol.ts';
import { fillDomain, someFields } from '../test/support/content.ts';
import { forkCall } from '../test/support/fork.ts';
import { meter } from '../test/support/metered-client.ts';
import { prepareOn } from '../test/support/prepared-engine.ts';
import { grouped, type Measurement, percentile, showProgress, table } from './report.ts';

/** Of each kind. */
const CHANGES = Number(process.env.BENCH_CHANGES ?? 1_000);
/** Items of the lists that are read. */
const LENGTHS = (process.env.BENCH_ITEMS ?? '1000 10000 100000').split(' ').map(Number);
const CLIENTS = [1, 10, 50];
const TRANSACTION_MS = 10;
const TIMEOUT_MS = 60_000;
const LIMIT = 20;
const OFFSETS = [0, 900, 9_900, 10_000];
/** Pages that are read by `after`, of each list. */
const WALKED = 40;
const GOALS = { creationsPerSecond: 450, readUnits: 23 };

type Action = Readonly<Record<string, { readonly Key?: object; readonly Item?: Readonly<Record<string, object>> }>>;

/** The primary keys of a transaction's actions. */
const keysOf = (actions: readonly Action[]): string[] =>
  actions.flatMap((action) =>
    Object.values(action).map(({ Key, Item }) => JSON.stringify(Key ?? { pk: Item?.pk, sk: Item?.sk })),
  );

/**
 * For a process of its own (`forkCall`). A transaction holds its items for as long as it takes, and cancels another one
 * that meets it there, as in DynamoDB; the embedded engine alone does one at a time.
 */
export const startTransactingEngine = async () => {
  const held = new Set<string>();
  let delayMs = 0;
  const { endpoint } = await startEmbeddedEngine({
    port: 0,
    intercept: (perform) => async (operation, input) => {
      if (operation !== 'TransactWriteItems' || delayMs === 0) return perform(operation, input);
      const keys = keysOf(input.TransactItems as readonly Action[]);
      const CancellationReasons = keys.map((key) => ({ Code: held.has(key) ? 'TransactionConflict' : 'None' }));
      const meets = keys.some((key) => held.has(key));
      if (!meets) for (const key of keys) held.add(key);
      await setTimeout(delayMs);
      if (meets) {
        return responseTo(new RejectedRequest('TransactionCanceledException', 'Conflict', { CancellationReasons }));
      }
      return perform(operation, input).finally(() => {
        for (const key of keys) held.delete(key);
      });
    },
  });
  return {
    endpoint,
    setDelay: (milliseconds: number): void => {
      delayMs = milliseconds;
    },
  };
};

const moment = () => ({ now: new Date(), deadline: deadlineIn(TIMEOUT_MS) });

type Content = ReturnType<typeof contentTable>;

/** Runs changes, so many at a time. @returns changes a second, and the milliseconds that 99 % of them take at most */
const timed = async (clients: number, changes: readonly (() => Promise<unknown>)[]) => {
  const times: number[] = [];
  const started = performance.now();
  await pLimit(clients).map([...changes], async (change) => {
    const sent = performance.now();
    await change();
    times.push(performance.now() - sent);
  });
  return { perSecond: (1_000 * changes.length) / (performance.now() - started), p99: percentile(times, 0.99) };
};

const creating = (content: Content, name: string, domains: number) =>
  Array.from({ length: CHANGES }, (_, nth) => () => {
    return content.create(someFields(`${name}-${nth % domains}.example`, `item-${nth}`), undefined, moment());
  });

const measureChanges = async (content: Content, sent: () => number): Promise<string[]> => {
  const rows: string[][] = [];
  const measure = async (name: string, clients: number, changes: readonly (() => Promise<unknown>)[]) => {
    showProgress(rows.length, 3 * CLIENTS.length, name);
    const before = sent();
    const { perSecond, p99 } = await timed(clients, changes);
    const transactions = ((sent() - before) / changes.length).toFixed(1);
    rows.push([name, String(clients), grouped(perSecond), transactions, grouped(p99)]);
    return perSecond;
  };
  let reached = 0;
  for (const clients of CLIENTS) {
    reached = await measure('creations into one domain', clients, creating(content, `one-${clients}`, 1));
    await measure('creations into 50 domains', clients, creating(content, `many-${clients}`, 50));
    const items = await Promise.all(creating(content, `gone-${clients}`, 1).map((create) => create()));
    const deletions = items.map(
      ({ item: { id } }) =>
        () =>
          content.remove(id, undefined, moment()),
    );
    await measure('deletions from one domain', clients, deletions);
  }
  const isMet = reached >= GOALS.creationsPerSecond ? 'yes' : '**no**';
  return [
    table(['changes', 'clients', 'a second', 'transactions each', 'p99 ms'], rows),
    `${CLIENTS.at(-1)} clients create at least ${GOALS.creationsPerSecond} a second in one domain: ${isMet}.`,
  ];
};

const measurePages = async (content: Content, costOf: ReturnType<typeof meter>, domains: readonly string[]) => {
  const rows: string[][] = [];
  let most = 0;
  const unitsOf = async (work: () => Promise<unknown>) => (await costOf(work)).readUnits;
  for (const [nth, domain] of domains.entries()) {
    const page = (bounds: { offset: number; after?: string }) =>
      content.list({ domain }, { limit: LIMIT, ...bounds }, deadlineIn(TIMEOUT_MS));
    const byOffset: number[] = [];
    for (const offset of OFFSETS) byOffset.push(await unitsOf(() => page({ offset })));
    let byAfter = 0;
    let { next } = await page({ offset: 0 });
    for (let read = 0; read < WALKED && next !== null; read += 1) {
      const after = next;
      const units = await unitsOf(async () => {
        ({ next } = await page({ offset: 0, after }));
      });
      byAfter = Math.max(byAfter, units);
    }
    most = Math.max(most, byOffset[0] ?? 0, byAfter);
    rows.push([grouped(LENGTHS[nth] ?? 0), ...byOffset.map(String), String(byAfter)]);
  }
  const isMet = most <= GOALS.readUnits ? 'yes' : '**no**';
  return [
    table(['items', ...OFFSETS.map((offset) => `offset ${grouped(offset)}`), '`after`, at most'], rows),
    `Page 1 and pages by \`after\` take at most ${GOALS.readUnits} read units: ${isMet}.`,
  ];
};

const measure: Measurement = async () => {
  const engine = await forkCall<{ readonly endpoint: string }>(new URL(import.meta.url), 'startTransactingEngine');
  const { db, names, close } = await prepareOn(engine);
  const metered = database();
  let transactions = 0;
  metered.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'TransactWriteItemsCommand' || commandName === 'TransactWriteCommand') transactions += 1;
        return next(args);
      },
    { step: 'finalizeRequest' },
  );
  const costOf = meter(metered);
  const content = contentTable(metered, LOCAL_TABLE_NAMES.content, 'live');
  const domains: string[] = [];
  for (const length of LENGTHS) {
    showProgress(domains.length, LENGTHS.length, `a list of ${length}`);
    domains.push(`of-${length}.example`);
    await fillDomain(db, names.content, `of-${length}.example`, length);
  }
  const pages = await measurePages(content, costOf, domains);
  const creation = await costOf(() => content.create(someFields('one.example', 'one'), undefined, moment()));
  await engine.call('setDelay', TRANSACTION_MS);
  const changes = await measureChanges(content, () => transactions);
  await close();
  return [
    ...changes,
    ...pages,
    `A creation takes ${creation.writeUnits} write units, without admission and without an Idempotency-Key.`,
  ];
};

export default measure;
