import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentExport } from '../../lib/content-maintenance/content-export.ts';
import { contentImport } from '../../lib/content-maintenance/content-import.ts';
import { moment, someFields } from '../support/content.ts';
import { clientOf } from '../support/engine.ts';
import { forOperation, onNthCall } from '../support/fault-choosers.ts';
import { testApi } from '../support/test-api.ts';

const BATCHES = 4;
const BATCH = 10;
/** Deadline of the batch that fails, in milliseconds. */
const PATIENCE_MS = 150;

const api = testApi();
let db: ReturnType<typeof clientOf>;
beforeAll(() => {
  db = clientOf(api.faults.endpoint);
});
afterAll(() => db.destroy());

const batchesOf = (domain: string) =>
  Array.from({ length: BATCHES }, (_, batch) =>
    Array.from({ length: BATCH }, (_none, index) => someFields(domain, `item-${batch * BATCH + index}`)),
  );
const stored = async (domain: string): Promise<string[]> => {
  const items = await Array.fromAsync(contentExport(api.engine.client, api.engine.names.content).items());
  return items.filter((item) => item.domain === domain).map(({ slug }) => slug);
};

describe('Concurrent batches of new items', () => {
  it('are appended to their lists in the order of the calls, in whatever order their reads end', async () => {
    const content = contentImport(db, api.engine.names.content);
    api.faults.inject(forOperation('BatchGetItem', onNthCall(1, 'throttle')));
    const batches = batchesOf('order.example');
    await Promise.all(batches.map((rows) => content.importBatch(rows, moment())));
    expect(await stored('order.example')).toEqual(batches.flat().map(({ slug }) => slug));
  });

  it('are not created when an earlier batch failed', async () => {
    const content = contentImport(db, api.engine.names.content);
    const [before = [], failing = [], ...after] = batchesOf('cut.example');
    const isFailing = (body: string) => body.includes(`"${failing[0]?.slug}"`);
    api.faults.inject(forOperation('TransactWriteItems', ({ body }) => (isFailing(body) ? 'resetBefore' : undefined)));
    const outcomes = await Promise.allSettled([
      content.importBatch(before, moment()),
      content.importBatch(failing, moment(PATIENCE_MS)),
      ...after.map((rows) => content.importBatch(rows, moment())),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    expect(await stored('cut.example')).toEqual(before.map(({ slug }) => slug));
  });
});
