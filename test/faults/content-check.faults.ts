import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ALL_ITEMS, contentKeys, contentReads, contentStore, domainList } from '../../core/content/content-entries.ts';
import { contentTable } from '../../core/content/content-table.ts';
import type { ContentItem, StoredItem } from '../../core/content/item.ts';
import { checkContent } from '../../lib/content-maintenance/content-check.ts';
import type { Inconsistency } from '../../lib/content-maintenance/content-inconsistencies.ts';
import { contentRepair } from '../../lib/content-maintenance/content-repair.ts';
import { fillDomain, moment } from '../support/content.ts';
import { startEngine, type TestEngine } from '../support/engine.ts';
import { seededNumbers } from '../support/fault-choosers.ts';
import { delayedClient, startChanges } from './content-check/changes.ts';
import { nameOf, planter } from './content-check/inconsistencies.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

const CHECKS = bySize(20, 300);
const SEED = 20_261_121;
/** Lists with traffic. */
const DOMAINS = ['a.example', 'b.example', 'c.example'] as const;
const QUIET_DOMAIN = 'quiet.example';
/** Items of each domain that nobody changes. */
const STEADY_ITEMS = 12;
/** Milliseconds by which a request is late at most, and as much again its response. */
const CHECK_DELAY_MS = 5;
const CHANGE_DELAY_MS = 20;
/** Entries of a page of the scan: many pages, so that a check reads many different moments. */
const SCAN_PAGE = 25;

/** Items that nobody changes, and counters as they were before they had change numbers. */
const storeSteadyItems = async ({ client, names }: TestEngine): Promise<StoredItem[]> => {
  const content = contentTable(client, names.content, 'live');
  const ids: string[] = [];
  for (const domain of [...DOMAINS, QUIET_DOMAIN]) {
    await fillDomain(client, names.content, domain, STEADY_ITEMS);
    const { items } = await content.list({ domain }, { offset: 0, limit: 100 }, moment().deadline);
    ids.push(...items.map(({ id }) => id));
  }
  for (const list of [ALL_ITEMS, ...DOMAINS.map(domainList)]) {
    const Key = contentKeys('live').counterKey(list, 0);
    await client.send(new UpdateCommand({ TableName: names.content, Key, UpdateExpression: 'REMOVE changes' }));
  }
  return contentReads(contentStore(client, names.content, 'live')).findMany(ids, moment().deadline);
};

const operatorClient = (engine: TestEngine) => {
  const db = delayedClient(engine, CHECK_DELAY_MS, SEED);
  db.middlewareStack.add(
    (next, { commandName }) =>
      (args) =>
        next(commandName === 'ScanCommand' ? { ...args, input: { ...args.input, Limit: SCAN_PAGE } } : args),
    { step: 'initialize' },
  );
  return db;
};

describe('content check --repair during creates, moves and deletes', () => {
  let engine: TestEngine;
  let items: readonly ContentItem[];
  let changes = 0;
  let planted = 0;
  let busyChecks = 0;
  const falseAlarms: string[] = [];
  const missed: string[] = [];
  const unrepaired: string[] = [];

  /** Checks with up to two planted inconsistencies, repairs what is found and asks for repairs of what is consistent. */
  const checkOnce = async (
    db: ReturnType<typeof operatorClient>,
    steady: readonly StoredItem[],
    next: () => number,
  ): Promise<void> => {
    const some = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)] as T;
    const repair = contentRepair(db, engine.names.content, 'live');
    const failedRepairs = async (inconsistencies: readonly Inconsistency[]): Promise<string[]> => {
      const failed: string[] = [];
      for (const each of inconsistencies) if (!(await repair(each))) failed.push(nameOf({ ...each }));
      return failed;
    };
    const names = new Set<string>();
    for (let plants = Math.floor(next() * 3); plants > 0; plants -= 1) {
      // One in the list of all items and one in a domain's: two in one bucket could make up for each other.
      const plant = some(planter(engine, some(steady), plants === 1));
      for (const name of await plant(domainList(QUIET_DOMAIN))) names.add(name);
    }
    planted += names.size;
    const report = await checkContent(db, engine.names.content);
    const found = report.inconsistencies.map((each) => nameOf({ ...each }));
    const busy = report.busy.map(({ list, bucket }) => nameOf({ kind: 'miscounted bucket', list, bucket }));
    if (busy.length > 0) busyChecks += 1;
    falseAlarms.push(...found.filter((name) => !names.has(name)));
    missed.push(...[...names].filter((name) => !found.includes(name) && !busy.includes(name)));
    let left = await failedRepairs(report.inconsistencies);
    // A bucket that changes during every count is for the next check: how often depends on the machine.
    for (let again = 0; left.length > 0 && again < 10; again += 1)
      left = await failedRepairs((await checkContent(db, engine.names.content)).inconsistencies);
    unrepaired.push(...left);
    const { item, positions } = some(steady);
    const place = { list: ALL_ITEMS, position: positions.all, id: item.id };
    await repair({ kind: 'miscounted bucket', list: ALL_ITEMS, bucket: 0, counter: 1, members: 2, changes: undefined });
    for (const kind of ['orphaned member', 'missing member'] as const)
      if (await repair({ kind, ...place })) falseAlarms.push(`repaired ${nameOf({ kind, ...place })}`);
  };

  beforeAll(async () => {
    engine = await startEngine();
    const steady = await storeSteadyItems(engine);
    const operator = operatorClient(engine);
    const callers = delayedClient(engine, CHANGE_DELAY_MS, SEED + 1);
    const traffic = startChanges(callers, engine.names.content, DOMAINS, SEED);
    const next = seededNumbers(SEED + 100);
    try {
      for (let done = 0; done < CHECKS; done += 1) await checkOnce(operator, steady, next);
    } finally {
      const left = await traffic.end();
      items = [...steady.map(({ item }) => item), ...left.items];
      changes = left.changes;
      operator.destroy();
      callers.destroy();
    }
    reportFigures('content check', { checks: CHECKS, changes, planted, busyChecks });
  }, TIMEOUT_MS);
  afterAll(() => engine.stop());

  it('reports and repairs nothing that is consistent', () => {
    expect(falseAlarms).toEqual([]);
  });

  it('finds every planted inconsistency', () => {
    expect(planted).toBeGreaterThan(0);
    expect(missed).toEqual([]);
  });

  it('repairs every inconsistency that it finds', () => {
    expect(unrepaired).toEqual([]);
  });

  it('breaks nothing: every item is listed once and every total is right', async () => {
    const { client, names } = engine;
    expect(changes).toBeGreaterThan(0);
    expect(await checkContent(client, names.content)).toMatchObject({ inconsistencies: [], busy: [] });
    for (const domain of [undefined, ...DOMAINS, QUIET_DOMAIN]) {
      const expected = items.filter((item) => domain === undefined || item.domain === domain).map(({ id }) => id);
      const filter = domain === undefined ? {} : { domain };
      const list = await contentTable(client, names.content, 'live').list(
        filter,
        { offset: 0, limit: 1_000 },
        moment().deadline,
      );
      expect(list.items.map(({ id }) => id).sort()).toEqual(expected.sort());
      expect(list.total).toBe(expected.length);
    }
  });

  it('leaves a bucket uncounted because of its traffic in at most 1 % of the checks', () => {
    expect(busyChecks).toBeLessThanOrEqual(CHECKS / 100);
  });
});
