/** Requests and read units of a page, by the size of its list. Nothing is timed. */
import { randomUUID } from 'node:crypto';
import { ALL_ITEMS, contentStore } from '../core/content/content-entries.ts';
import { contentTable } from '../core/content/content-table.ts';
import { contentWrites } from '../core/content/content-writes.ts';
import { BUCKET_SIZE, bucketOf } from '../core/counted-list/entries.ts';
import { deadlineIn } from '../core/runtime/deadline.ts';
import { prefixedTableNames } from '../core/tables.ts';
import { createTables } from '../lib/local/engine/create-tables.ts';
import { startEmbeddedEngine } from '../lib/local/engine/embedded.ts';
import { storeItems } from '../test/support/engine.ts';
import { meteredClient } from '../test/support/metered-client.ts';
import { benchFields } from './loaded-domain.ts';
import { grouped, showProgress, table } from './report.ts';

const SIZES = [100, 10_000, 100_000, 1_000_000, 10_000_000];
const PAGE = 20;
const DEADLINE_MS = 60_000;
const CREATED = '2026-01-02T03:04:05.000Z';
/** USD per million read units, us-east-1, 2025. */
const READ_UNITS_PER_MILLION = 0.125;

type Client = ReturnType<typeof meteredClient>['client'];

/** Writes all counters of a list, but only the newest members and items: those of its first page, and what it skips. */
const storeList = async (db: Client, name: string, size: number): Promise<void> => {
  const { keys, lists, ...store } = contentStore(db, name, 'live');
  const last = bucketOf(size - 1);
  const counters = Array.from({ length: last + 1 }, (_, bucket) => ({
    ...keys.counterKey(ALL_ITEMS, bucket),
    members: bucket < last ? BUCKET_SIZE : size - last * BUCKET_SIZE,
    changes: BUCKET_SIZE,
  }));
  const newest = Array.from({ length: Math.min(PAGE, size) }, (_, n) => ({ position: size - 1 - n, id: randomUUID() }));
  const writes = contentWrites({ table: name, keys });
  const entries = [
    ...newest.map(({ id, position }) => {
      const item = { id, ...benchFields('bench.example', id), created_at: CREATED, updated_at: CREATED, version: 1 };
      return writes.addItem({ item, positions: { all: position, domain: position } });
    }),
    ...lists.append(ALL_ITEMS, newest),
  ].flatMap(({ Put }) => (Put?.Item ? [Put.Item] : []));
  await storeItems(store.db, name, [...counters, ...entries]);
};

const measure = async (): Promise<readonly string[]> => {
  const engine = await startEmbeddedEngine({ port: 0 });
  const { client, costOf } = meteredClient(engine.endpoint);
  try {
    const rows = [];
    for (const [index, size] of SIZES.entries()) {
      showProgress(index, SIZES.length, `${size} items`);
      const names = prefixedTableNames(`sizes-${size}-`);
      await createTables(client, names);
      await storeList(client, names.content, size);
      const content = contentTable(client, names.content, 'live');
      const { requests, readUnits } = await costOf(async () => {
        const { items, total } = await content.list({}, { offset: 0, limit: PAGE }, deadlineIn(DEADLINE_MS));
        if (total !== size || items.length !== PAGE) throw new Error('the page is wrong');
      });
      rows.push([grouped(size), requests, readUnits, (readUnits * READ_UNITS_PER_MILLION).toFixed(2)]);
    }
    return [
      `The first page of ${PAGE} items of 1 kB, strongly consistent, without admission. All counters of the list are stored, and what the page shows.`,
      table(['items in the list', 'requests', 'read units', 'USD per million pages, reads'], rows),
    ];
  } finally {
    client.destroy();
    await engine.close();
  }
};
export default measure;
