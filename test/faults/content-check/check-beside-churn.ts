/** Checks and repairs of content beside traffic, over connections that delay, with planted inconsistencies. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ALL_ITEMS, domainList } from '../../../functions/content/content-entries.ts';
import { contentTable } from '../../../functions/content/content-table.ts';
import type { StoredItem } from '../../../functions/content/item.ts';
import { counterKey } from '../../../functions/counted-list/entries.ts';
import { contentCheck } from '../../../lib/content-maintenance/content-check.ts';
import type { Inconsistency } from '../../../lib/content-maintenance/content-inconsistencies.ts';
import { contentRepair } from '../../../lib/content-maintenance/content-repair.ts';
import { fillDomain, moment } from '../../support/content.ts';
import { clientOf, startEngine, type TestEngine } from '../../support/engine.ts';
import { seededNumbers } from '../../support/fault-choosers.ts';
import { startChurn } from './churn.ts';
import { nameOf, PLANTS, type Target } from './planted.ts';

const SEED = 20_261_121;
/** Lists with traffic. */
const DOMAINS = ['a.example', 'b.example', 'c.example'] as const;
const QUIET_DOMAIN = 'quiet.example';
/** Items of each domain that nobody changes. */
const STEADY_ITEMS = 12;
/** Milliseconds by which a request is late at most, and as much again its answer. */
const CHECK_DELAY_MS = 5;
const CHURN_DELAY_MS = 20;
/** Entries of a page of the scan: many pages, so that they are of different moments. */
const SCAN_PAGE = 25;

export interface BesideChurn {
  readonly checks: number;
  /** Changes by the traffic. */
  readonly changes: number;
  readonly planted: number;
  /** Reported, though nothing was planted there. */
  readonly falseAlarms: readonly string[];
  /** Planted, and not found. */
  readonly missed: readonly string[];
  /** Found, and not repaired. */
  readonly unrepaired: readonly string[];
  /** Checks that left a bucket uncounted because it changed too often. */
  readonly busy: number;
  /** Inconsistencies, and lists that are not what they should be, once all is quiet. */
  readonly broken: readonly string[];
}

/** A client whose requests and responses are each delayed for a random time. */
const delayedClient = ({ endpoint }: TestEngine, maxMs: number, seed: number): DynamoDBDocumentClient => {
  const db = clientOf(endpoint);
  const next = seededNumbers(seed);
  db.middlewareStack.add(
    (send) => async (args) => {
      await sleep(next() * maxMs);
      const answer = await send(args);
      await sleep(next() * maxMs);
      return answer;
    },
    { step: 'initialize' },
  );
  return db;
};

const withSmallScanPages = (db: DynamoDBDocumentClient): void =>
  db.middlewareStack.add(
    (next, { commandName }) =>
      (args) =>
        next(commandName === 'ScanCommand' ? { ...args, input: { ...args.input, Limit: SCAN_PAGE } } : args),
    { step: 'initialize' },
  );

/** Items that nobody changes, and counters as they were before there were change numbers. */
const prepare = async ({ client, names }: TestEngine): Promise<StoredItem[]> => {
  const content = contentTable(client, names.content);
  const ids: string[] = [];
  for (const domain of [...DOMAINS, QUIET_DOMAIN]) {
    await fillDomain(client, names.content, domain, STEADY_ITEMS);
    const { items } = await content.list({ domain }, { offset: 0, limit: 100 }, moment().deadline);
    ids.push(...items.map(({ id }) => id));
  }
  for (const list of [ALL_ITEMS, ...DOMAINS.map(domainList)]) {
    await client.send(
      new UpdateCommand({
        TableName: names.content,
        Key: counterKey(list, 0),
        UpdateExpression: 'REMOVE changes',
      }),
    );
  }
  return content.findMany(ids, moment().deadline);
};

/** What is wrong once all is quiet; `ids` are all items that should be there, by domain. */
const brokenIn = async ({ client, names }: TestEngine, ids: ReadonlyMap<string, readonly string[]>) => {
  const { inconsistencies, busy } = await contentCheck(client, names.content).check();
  const broken = [...inconsistencies.map(nameOf), ...busy.map(({ list, bucket }) => `busy ${list} ${bucket}`)];
  for (const [domain, expected] of ids) {
    const filter = domain === ALL_ITEMS ? {} : { domain };
    const page = { offset: 0, limit: 1_000 };
    const { items, total } = await contentTable(client, names.content).list(filter, page, moment().deadline);
    const listed = items.map(({ id }) => id).sort();
    if (total !== expected.length || listed.join() !== expected.toSorted().join()) broken.push(`the list of ${domain}`);
  }
  return broken;
};

/**
 * Does so many checks, each with up to two planted inconsistencies, and repairs what they find; between them it asks for
 * repairs of what is consistent, as from a report that others have overtaken.
 */
export const checkBesideChurn = async (checks: number): Promise<BesideChurn> => {
  const engine = await startEngine();
  const steady = await prepare(engine);
  const operator = delayedClient(engine, CHECK_DELAY_MS, SEED);
  const callers = delayedClient(engine, CHURN_DELAY_MS, SEED + 1);
  withSmallScanPages(operator);
  const { check } = contentCheck(operator, engine.names.content);
  const { repair } = contentRepair(operator, engine.names.content);
  const churn = startChurn(callers, engine.names.content, DOMAINS, SEED);
  const next = seededNumbers(SEED + 100);
  const found = {
    planted: 0,
    falseAlarms: [] as string[],
    missed: [] as string[],
    unrepaired: [] as string[],
    busy: 0,
  };

  const plantSome = async (): Promise<Set<string>> => {
    const names = new Set<string>();
    for (let plants = Math.floor(next() * 3); plants > 0; plants -= 1) {
      const [plant, stored] = [PLANTS[Math.floor(next() * PLANTS.length)], steady[Math.floor(next() * steady.length)]];
      if (plant === undefined || stored === undefined) continue;
      // One in the list of all items and one in a domain's: two in one bucket could make up for each other.
      const target: Target = { stored, isInAll: plants === 1, quietList: domainList(QUIET_DOMAIN) };
      for (const name of await plant(engine, target)) names.add(name);
    }
    found.planted += names.size;
    return names;
  };

  const repairWhatIsConsistent = async (): Promise<void> => {
    const stored = steady[Math.floor(next() * steady.length)];
    if (stored === undefined) return;
    const { id } = stored.item;
    const place = { list: ALL_ITEMS, position: stored.positions.all, id };
    await repair({ kind: 'miscounted bucket', list: ALL_ITEMS, bucket: 0, counter: 1, members: 2, changes: undefined });
    for (const kind of ['orphaned member', 'missing member'] as const) {
      if (await repair({ kind, ...place }))
        found.falseAlarms.push(`a repair of the consistent ${nameOf({ kind, ...place })}`);
    }
  };

  const failedRepairs = async (inconsistencies: readonly Inconsistency[]): Promise<string[]> => {
    const failed: string[] = [];
    for (const each of inconsistencies) if (!(await repair(each))) failed.push(nameOf(each));
    return failed;
  };

  const checkOnce = async (): Promise<void> => {
    const planted = await plantSome();
    const report = await check();
    const names = report.inconsistencies.map(nameOf);
    const busy = report.busy.map(({ list, bucket }) => `miscounted bucket ${list} ${bucket}`);
    if (busy.length > 0) found.busy += 1;
    found.falseAlarms.push(...names.filter((name) => !planted.has(name)));
    found.missed.push(...[...planted].filter((name) => !names.includes(name) && !busy.includes(name)));
    let left = await failedRepairs(report.inconsistencies);
    // A bucket that changes during every count is for the next check: how often depends on the machine.
    for (let again = 0; left.length > 0 && again < 10; again += 1) {
      left = await failedRepairs((await check()).inconsistencies);
    }
    found.unrepaired.push(...left);
    await repairWhatIsConsistent();
  };

  try {
    for (let done = 0; done < checks; done += 1) await checkOnce();
    const items = [...steady.map(({ item }) => item), ...(await churn.end())];
    const ids = new Map<string, string[]>([[ALL_ITEMS, items.map(({ id }) => id)]]);
    for (const [domain, some] of Map.groupBy(items, (item) => item.domain)) {
      ids.set(
        domain,
        some.map(({ id }) => id),
      );
    }
    return { checks, changes: churn.changes(), ...found, broken: await brokenIn(engine, ids) };
  } finally {
    await churn.end().catch(() => undefined);
    operator.destroy();
    callers.destroy();
    await engine.stop();
  }
};
