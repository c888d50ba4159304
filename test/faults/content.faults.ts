import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../support/api.ts';
import { type ConsistencyReport, reportConsistency } from './content/consistency-report.ts';
import { FAULT_SHARE, faultyDatabase } from './content/faulty-database.ts';
import { type ItemHistory, playScenario } from './content/item-scenarios.ts';
import { retryingClient } from './content/retrying-client.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

const ITEMS = bySize(400, 10_000);
const CLIENTS = 16;
/** Milliseconds by which the gateway's clock advances with each item, so that timestamps differ; all in one rate limit window. */
const CLOCK_STEP = 1;

/** Each client takes the next number when it is done with its last item. */
const playAll = async (api: TestApi): Promise<ItemHistory[]> => {
  const histories: ItemHistory[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    const send = await retryingClient(api);
    while (next < ITEMS) {
      next += 1;
      histories.push(await playScenario(send, next - 1));
      api.clock.now += CLOCK_STEP;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
  return histories;
};

describe('Content of concurrent clients on a faulty database', () => {
  const database = faultyDatabase();
  let api: TestApi;
  let histories: ItemHistory[];
  let report: ConsistencyReport;

  beforeAll(async () => {
    api = await startApi();
    api.faults.inject(database.choose);
    histories = await playAll(api);
    api.faults.reset();
    report = await reportConsistency(api, histories);
    reportFigures('content', { ...report, databaseRequests: database.calls(), faults: [...database.injected] });
  }, TIMEOUT_MS);
  afterAll(() => api.stop());

  it(`has a fault on ${FAULT_SHARE * 100} % of the database requests`, () => {
    const faults = [...database.injected.values()].reduce((total, count) => total + count, 0);
    expect(Math.abs(faults / database.calls() - FAULT_SHARE)).toBeLessThan(FAULT_SHARE / 10);
  });

  it('acknowledges each create, update and delete in the end, and a repeated create with the same response', () => {
    expect(histories).toHaveLength(ITEMS);
    expect(histories.flatMap(({ surprises }) => surprises)).toEqual([]);
  });

  it('contains each acknowledged item once, as it was last acknowledged, and nothing else', () => {
    expect(report.acknowledged).toBeGreaterThan(0);
    expect(report).toMatchObject({ missing: [], duplicates: 0, different: [], unknown: [] });
  });

  it('neither lists nor returns a deleted item', () => {
    expect(report.deleted).toBeGreaterThan(0);
    expect(report.notDeleted).toBe(0);
  });

  it('has the number of items as the total of every list', () => {
    expect(report.miscounted).toEqual([]);
  });

  it('passes content check', () => {
    expect(report.inconsistencies).toEqual([]);
  });
});
