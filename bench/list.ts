/** Pages at any offset of 100,000 items, single changes, and creates per second, on Amazon's own DynamoDB Local. */
import { contentTable } from '../functions/content/content-table.ts';
import { deadlineIn } from '../functions/runtime/deadline.ts';
import { prefixedTableNames } from '../functions/tables.ts';
import { createTables } from '../lib/local/engine/create-tables.ts';
import { type Engine, startEmbeddedEngine } from '../lib/local/engine/embedded.ts';
import { startDynamoDbLocal } from '../test/support/dynamodb-local/dynamodb-local.ts';
import { clientOf } from '../test/support/engine.ts';
import { meteredClient } from '../test/support/metered-client.ts';
import { benchFields, loadDomain } from './list/loaded-domain.ts';
import { type Finding, median, type Progress, type Run } from './report.ts';

const ITEMS = 100_000;
const DOMAIN = 'bench.example';
const PAGE = 20;
const OFFSETS = [0, 100, 1_000, 10_000, 25_000, 50_000, 75_000, 90_000, 99_000, 99_900];
const REPEATS = 20;
/** Items beside which single changes are measured: their units do not depend on how many there are. */
const ITEMS_BESIDE_CHANGES = 600;
const CLIENTS = [1, 16];
const RACE_SECONDS = 5;
/** The list's counters, at most two ranges of its members, and the items (functions/counted-list). */
const MAX_REQUESTS = 4;

const names = prefixedTableNames('bench-');
const moment = () => ({ now: new Date(), deadline: deadlineIn(30_000) });

type Meter = ReturnType<typeof meteredClient>;

/** The most that one of several runs cost, and their median time. */
const measure = async ({ costOf }: Meter, work: (run: number) => Promise<unknown>) => {
  const times: number[] = [];
  const costs: Awaited<ReturnType<Meter['costOf']>>[] = [];
  for (let run = 0; run < REPEATS; run += 1) {
    const started = performance.now();
    costs.push(await costOf(() => work(run)));
    times.push(performance.now() - started);
  }
  return {
    requests: Math.max(...costs.map(({ requests }) => requests)),
    units: Math.max(...costs.map(({ units }) => units)),
    ms: median(times),
  };
};

type Measured = Awaited<ReturnType<typeof measure>>;

/** Pages from end to end. @throws Error when a page is not what was loaded */
const measurePages = async (meter: Meter, progress: Progress) => {
  const content = contentTable(meter.client, names.content);
  const pages: (Measured & { readonly offset: number })[] = [];
  for (const [index, offset] of OFFSETS.entries()) {
    progress(index, OFFSETS.length, `offset ${offset}`);
    const page = async () => {
      const { items, total } = await content.list({ domain: DOMAIN }, { offset, limit: PAGE }, moment().deadline);
      if (total !== ITEMS || items[0]?.slug !== `item-${ITEMS - 1 - offset}`) throw new Error('the page is wrong');
    };
    pages.push({ offset, ...(await measure(meter, page)) });
  }
  return pages;
};

const measureChanges = async (meter: Meter) => {
  const content = contentTable(meter.client, names.content);
  const made: string[] = [];
  const idOf = (run: number) => made[run] ?? '';
  const create = async (run: number) => {
    made.push((await content.create(benchFields(DOMAIN, `new-${run}`), undefined, moment())).id);
  };
  return [
    { change: 'create', ...(await measure(meter, create)) },
    {
      change: 'update',
      ...(await measure(meter, (run) => content.update(idOf(run), { title: 'New' }, undefined, moment()))),
    },
    {
      change: 'move to another domain',
      ...(await measure(meter, (run) => content.update(idOf(run), { domain: 'to.example' }, undefined, moment()))),
    },
    { change: 'delete', ...(await measure(meter, (run) => content.remove(idOf(run), undefined, moment()))) },
  ];
};

/** Creations into one list by clients that do nothing else; conflicts are transactions that had to be tried again. */
const race = async ({ endpoint }: Engine, clients: number) => {
  const db = clientOf(endpoint);
  let tried = 0;
  db.middlewareStack.add((next, { commandName }) => (args) => {
    tried += Number(commandName === 'TransactWriteItemsCommand');
    return next(args);
  });
  const content = contentTable(db, names.content);
  let created = 0;
  const end = performance.now() + RACE_SECONDS * 1_000;
  const work = async (client: number) => {
    for (let n = 0; performance.now() < end; n += 1) {
      await content.create(benchFields(DOMAIN, `race-${clients}-${client}-${n}`), undefined, moment());
      created += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  db.destroy();
  return [clients, Math.round(created / RACE_SECONDS), tried - created];
};

/** Work with a metered client on an engine with a loaded domain. */
const onEngine = async <T>(
  engine: Engine,
  items: number,
  progress: Progress,
  work: (meter: Meter) => Promise<T>,
): Promise<T> => {
  const meter = meteredClient(engine.endpoint);
  try {
    await createTables(meter.client, names);
    await loadDomain(meter.client, names.content, DOMAIN, items, (stored) => progress(stored, items, 'loading'));
    return await work(meter);
  } finally {
    meter.client.destroy();
    await engine.close();
  }
};

const findingsOf = (pages: Awaited<ReturnType<typeof measurePages>>): Finding[] => {
  const most = Math.max(...pages.map(({ requests }) => requests));
  const units = pages.map((page) => page.units);
  const middle = median(units);
  const dearest = Math.max(...units);
  return [
    {
      promise: `At most ${MAX_REQUESTS} requests for a page of ${PAGE} at any offset of ${ITEMS.toLocaleString('en-GB')} items`,
      found: String(most),
      holds: most <= MAX_REQUESTS,
    },
    {
      promise: 'Read units do not grow with the offset: the dearest page at most 1.5 of the median',
      found: `${dearest} units, median ${middle}`,
      holds: dearest <= 1.5 * middle,
    },
  ];
};

const METHOD = `Pages of ${PAGE} of one domain, items of 1 kB, the whole list read to its end; median of ${REPEATS}. Units as DynamoDB Local counts them, all reads strongly consistent, admission not included.`;

const CHANGES = [
  'A single change, its reads and transactional writes included, on the embedded engine, which counts two write units per kB and',
  'item as DynamoDB does (DynamoDB Local counts one). Creates per second into one list on DynamoDB Local: every one of them raises',
  "the same two counters, and the engine's own speed is in the figure.",
].join('\n');

const run: Run = async (progress) => {
  const changes = await onEngine(
    await startEmbeddedEngine({ port: 0 }),
    ITEMS_BESIDE_CHANGES,
    progress,
    measureChanges,
  );
  const engine = await startDynamoDbLocal();
  const { pages, races } = await onEngine(engine, ITEMS, progress, async (meter) => {
    const measured = await measurePages(meter, progress);
    const raced: number[][] = [];
    for (const clients of CLIENTS) raced.push(await race(engine, clients));
    return { pages: measured, races: raced };
  });
  return {
    findings: findingsOf(pages),
    blocks: [
      { text: METHOD },
      {
        table: {
          head: ['offset', 'requests', 'read units', 'ms'],
          rows: pages.map(({ offset, requests, units, ms }) => [offset, requests, units, ms.toFixed(1)]),
        },
      },
      { text: CHANGES },
      {
        table: {
          head: ['change', 'requests', 'units', 'ms'],
          rows: changes.map(({ change, requests, units, ms }) => [change, requests, units, ms.toFixed(1)]),
        },
      },
      { table: { head: ['clients', 'creates/s', 'conflicts'], rows: races } },
    ],
  };
};
export default run;
