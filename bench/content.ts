/**
 * What content costs on Amazon's DynamoDB Local (needs Java 17): pages at any offset of 100,000 items of 1 kB, single
 * changes, and creates per second with 1 and 16 clients. Reports; asserts nothing. ITEMS sets another number of items.
 */
import { SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import { contentImport } from '../functions/content/content-import.ts';
import { contentTable } from '../functions/content/content-table.ts';
import type { ContentFields } from '../functions/content/item.ts';
import { deadlineIn } from '../functions/runtime/deadline.ts';
import { prefixedTableNames } from '../functions/tables.ts';
import { createTables } from '../lib/local/engine/create-tables.ts';
import { startDynamoDbLocal } from '../lib/local/engine/dynamodb-local.ts';
import { clientOf } from '../test/support/engine.ts';
import { meteredClient } from '../test/support/metered-client.ts';

const ITEMS = Number(process.argv[2] ?? 100_000);
const DOMAIN = 'bench.example';
const BATCH = 23;
const REPEATS = 20;
const RACE_SECONDS = 5;
const names = prefixedTableNames('bench-');
const moment = () => ({ now: new Date(), deadline: deadlineIn(30_000) });

const fields = (slug: string, domain = DOMAIN): ContentFields => ({
  title: `Title of ${slug}`,
  content: 'x'.repeat(850),
  domain,
  slug,
  meta_description: 'About this item',
});

const say = (table: Table.Table) => process.stdout.write(`${table.toString()}\n`);
const plain = { style: { head: [], border: [] } };
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const engine = await startDynamoDbLocal();
const meter = meteredClient(engine.endpoint);
const { client } = meter;
await createTables(client, names);
const content = contentTable(client, names.content);

/** The median of several runs, and what one of them costs. */
const measure = async (work: (run: number) => Promise<unknown>) => {
  const times: number[] = [];
  let cost = { requests: 0, units: 0 };
  for (let run = 0; run < REPEATS; run += 1) {
    const started = performance.now();
    cost = await meter.costOf(() => work(run));
    times.push(performance.now() - started);
  }
  return [median(times).toFixed(1), cost.units, cost.requests];
};

const load = async () => {
  const bar = new SingleBar({ format: 'loading {bar} {value}/{total}  {duration_formatted}' });
  bar.start(ITEMS, 0);
  const started = performance.now();
  const importer = contentImport(client, names.content);
  for (let start = 0; start < ITEMS; start += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, ITEMS - start) }, (_, n) => fields(`item-${start + n}`));
    await importer.putMany(rows, moment());
    bar.update(start + rows.length);
  }
  bar.stop();
  const seconds = (performance.now() - started) / 1_000;
  process.stdout.write(
    `${ITEMS} items of 1 kB loaded in ${seconds.toFixed(0)} s, ${Math.round(ITEMS / seconds)} a second\n`,
  );
};

const pages = async () => {
  const table = new Table({ head: ['offset', 'ms', 'read units', 'requests'], ...plain });
  for (const offset of [0, 1_000, 10_000, ITEMS - 100]) {
    const page = () => content.list({ domain: DOMAIN }, { offset, limit: 20 }, moment().deadline);
    table.push([offset, ...(await measure(page))]);
  }
  say(table);
};

const changes = async () => {
  const table = new Table({ head: ['change', 'ms', 'units', 'requests'], ...plain });
  const made: string[] = [];
  const create = async (run: number) => {
    made.push((await content.create(fields(`new-${run}`), undefined, moment())).id);
  };
  table.push(['create', ...(await measure(create))]);
  table.push([
    'update',
    ...(await measure((run) => content.update(made[run] ?? '', { title: 'New' }, undefined, moment()))),
  ]);
  table.push([
    'move',
    ...(await measure((run) => content.update(made[run] ?? '', { domain: 'to.example' }, undefined, moment()))),
  ]);
  table.push(['delete', ...(await measure((run) => content.remove(made[run] ?? '', undefined, moment())))]);
  say(table);
};

const race = async () => {
  const table = new Table({ head: ['clients', 'creates/s', 'transactions tried', 'conflicts'], ...plain });
  for (const clients of [1, 16]) {
    let tried = 0;
    const db = clientOf(engine.endpoint);
    db.middlewareStack.add((next, { commandName }) => (args) => {
      tried += Number(commandName === 'TransactWriteItemsCommand');
      return next(args);
    });
    const racing = contentTable(db, names.content);
    let created = 0;
    const end = performance.now() + RACE_SECONDS * 1_000;
    const work = async (number: number) => {
      for (let n = 0; performance.now() < end; n += 1) {
        await racing.create(fields(`race-${clients}-${number}-${n}`), undefined, moment());
        created += 1;
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, number) => work(number)));
    db.destroy();
    table.push([clients, Math.round(created / RACE_SECONDS), tried, tried - created]);
  }
  say(table);
};

try {
  await load();
  await pages();
  await changes();
  await race();
} finally {
  client.destroy();
  await engine.close();
}
