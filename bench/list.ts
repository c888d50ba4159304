/** Pages at any offset of 100,000 items on Amazon's own DynamoDB Local. */
import { contentTable } from '../core/content/content-table.ts';
import { BUCKET_SIZE } from '../core/counted-list/entries.ts';
import { deadlineIn } from '../core/runtime/deadline.ts';
import { prefixedTableNames } from '../core/tables.ts';
import { createTables } from '../lib/local/engine/create-tables.ts';
import { startDynamoDbLocal } from '../test/support/dynamodb-local/dynamodb-local.ts';
import { type Cost, meteredClient } from '../test/support/metered-client.ts';
import { loadCounters, loadDomain } from './loaded-domain.ts';
import { atMost, grouped, median, showProgress, table, targetTable } from './report.ts';

const ITEMS = 100_000;
const DOMAIN = 'bench.example';
const PAGE = 20;
const OFFSETS = [0, 100, 1_000, 10_000, 50_000, 90_000, 99_900];
const SIZES = [100, 10_000, 1_000_000, 10_000_000];
const REPEATS = 20;
/** The list's counters, at most two ranges of its members, and the items (core/counted-list). */
const MAX_REQUESTS = 4;
/** The units of the most expensive page in those of the median page. */
const MAX_UNITS_RATIO = 1.5;
const DEADLINE_MS = 30_000;

const names = prefixedTableNames('bench-');

type Meter = ReturnType<typeof meteredClient>;

interface Loaded {
  readonly table: string;
  readonly size: number;
  /** The number at the end of the newest item's slug. */
  readonly newest: number;
}

const measurePage = async ({ client, costOf }: Meter, { table, size, newest }: Loaded, offset: number) => {
  const content = contentTable(client, table, 'live');
  const times: number[] = [];
  let cost: Cost | undefined;
  for (let run = 0; run < REPEATS; run += 1) {
    const started = performance.now();
    cost = await costOf(async () => {
      const page = await content.list({ domain: DOMAIN }, { offset, limit: PAGE }, deadlineIn(DEADLINE_MS));
      const first = page.items[0]?.slug;
      if (page.total !== size || first !== `item-${newest - offset}`) throw new Error('the page is wrong');
    });
    times.push(performance.now() - started);
  }
  return { requests: cost?.requests ?? 0, units: cost?.units ?? 0, ms: median(times) };
};

/** The first page of lists that have so many items, each in a table of its own. */
const measureSizes = async (meter: Meter) => {
  const measured: (Awaited<ReturnType<typeof measurePage>> & { readonly size: number })[] = [];
  for (const size of SIZES) {
    showProgress(measured.length, SIZES.length, `${grouped(size)} items`);
    const table = prefixedTableNames(`bench-${size}-`);
    await createTables(meter.client, table);
    const buckets = Math.floor((size - PAGE) / BUCKET_SIZE);
    await loadCounters(meter.client, table.content, DOMAIN, buckets);
    const items = size - buckets * BUCKET_SIZE;
    await loadDomain(meter.client, table.content, DOMAIN, items, () => undefined);
    measured.push({ size, ...(await measurePage(meter, { table: table.content, size, newest: items - 1 }, 0)) });
  }
  return measured;
};

const measure = async (): Promise<readonly string[]> => {
  const engine = await startDynamoDbLocal();
  const meter = meteredClient(engine.endpoint);
  try {
    await createTables(meter.client, names);
    await loadDomain(meter.client, names.content, DOMAIN, ITEMS, (stored) => showProgress(stored, ITEMS, 'loading'));
    const pages: (Awaited<ReturnType<typeof measurePage>> & { readonly offset: number })[] = [];
    const loaded = { table: names.content, size: ITEMS, newest: ITEMS - 1 };
    for (const offset of OFFSETS) {
      showProgress(pages.length, OFFSETS.length, `offset ${offset}`);
      pages.push({ offset, ...(await measurePage(meter, loaded, offset)) });
    }
    const sizes = await measureSizes(meter);
    const units = pages.map((page) => page.units);
    return [
      targetTable(
        atMost(
          `Requests for a page of ${PAGE} at any offset of ${grouped(ITEMS)} items`,
          MAX_REQUESTS,
          Math.max(...pages.map(({ requests }) => requests)),
          0,
        ),
        atMost(
          'Read units of the most expensive page, ratio to the median',
          MAX_UNITS_RATIO,
          Math.max(...units) / median(units),
        ),
      ),
      `Pages of ${PAGE} of one domain, items of 1 kB; median of ${REPEATS}. Units as DynamoDB Local counts them, all reads strongly consistent, admission not included.`,
      table(
        ['offset', 'requests', 'read units', 'ms'],
        pages.map((page) => [page.offset, page.requests, page.units, page.ms.toFixed(1)]),
      ),
      'The first page by the size of the list: full buckets but for the newest, of the others only the counters, which every page reads.',
      table(
        ['items', 'requests', 'read units', 'ms'],
        sizes.map(({ size, requests, units: read, ms }) => [grouped(size), requests, read, ms.toFixed(1)]),
      ),
    ];
  } finally {
    meter.client.destroy();
    await engine.close();
  }
};
export default measure;
