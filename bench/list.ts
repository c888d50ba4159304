/** Pages at any offset of 100,000 items on Amazon's own DynamoDB Local. */
import { contentTable } from '../core/content/content-table.ts';
import { deadlineIn } from '../core/runtime/deadline.ts';
import { prefixedTableNames } from '../core/tables.ts';
import { createTables } from '../lib/local/engine/create-tables.ts';
import { startDynamoDbLocal } from '../test/support/dynamodb-local/dynamodb-local.ts';
import { type Cost, meteredClient } from '../test/support/metered-client.ts';
import { loadDomain } from './loaded-domain.ts';
import { atMost, grouped, median, showProgress, table, targetTable } from './report.ts';

const ITEMS = 100_000;
const DOMAIN = 'bench.example';
const PAGE = 20;
const OFFSETS = [0, 100, 1_000, 10_000, 50_000, 90_000, 99_900];
const REPEATS = 20;
/** The list's counters, at most two ranges of its members, and the items (core/counted-list). */
const MAX_REQUESTS = 4;
/** The units of the most expensive page in those of the median page. */
const MAX_UNITS_RATIO = 1.5;
const DEADLINE_MS = 30_000;

const names = prefixedTableNames('bench-');

const measurePages = async ({ client, costOf }: ReturnType<typeof meteredClient>) => {
  const content = contentTable(client, names.content, 'live');
  const pages: { readonly offset: number; readonly requests: number; readonly units: number; readonly ms: number }[] =
    [];
  for (const offset of OFFSETS) {
    showProgress(pages.length, OFFSETS.length, `offset ${offset}`);
    const times: number[] = [];
    let cost: Cost | undefined;
    for (let run = 0; run < REPEATS; run += 1) {
      const started = performance.now();
      cost = await costOf(async () => {
        const page = await content.list({ domain: DOMAIN }, { offset, limit: PAGE }, deadlineIn(DEADLINE_MS));
        const first = page.items[0]?.slug;
        if (page.total !== ITEMS || first !== `item-${ITEMS - 1 - offset}`) throw new Error('the page is wrong');
      });
      times.push(performance.now() - started);
    }
    pages.push({ offset, requests: cost?.requests ?? 0, units: cost?.units ?? 0, ms: median(times) });
  }
  return pages;
};

const measure = async (): Promise<readonly string[]> => {
  const engine = await startDynamoDbLocal();
  const meter = meteredClient(engine.endpoint);
  try {
    await createTables(meter.client, names);
    await loadDomain(meter.client, names.content, DOMAIN, ITEMS, (stored) => showProgress(stored, ITEMS, 'loading'));
    const pages = await measurePages(meter);
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
    ];
  } finally {
    meter.client.destroy();
    await engine.close();
  }
};
export default measure;
