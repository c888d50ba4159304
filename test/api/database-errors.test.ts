import { describe, expect, it } from '@jest/globals';
import type { ContentItem } from '../../core/content/item.ts';
import type { Reply } from '../support/api.ts';
import { always, forOperation, onNthCall } from '../support/fault-choosers.ts';
import type { DatabaseCall, Fault } from '../support/fault-proxy.ts';
import { aCompliance, aVehicle } from '../support/records.ts';
import { rateLimitOf, testApi } from '../support/test-api.ts';

const CONTENT = '/v1/api/content';
const call = (method: string, path: string, json?: object, headers: Record<string, string> = {}) =>
  api.call(method, path, { key: api.key, ...(json && { json }), headers });
const create = (slug: string, headers?: Record<string, string>) =>
  call('POST', CONTENT, { title: 'T', content: 'C', domain: 'a.example', slug }, headers);
const idOf = ({ body }: Reply) => (body as ContentItem).id;

let id: string;
const api = testApi(async ({ loadVehicles, loadCompliance }) => {
  await loadVehicles(aVehicle('AB12CDE'));
  await loadCompliance(aCompliance('AB12CDE'));
  id = idOf(await create('first'));
});

/** A request to every endpoint, and its status from a healthy database. */
const requests: readonly (readonly [() => Promise<Reply>, healthy: number])[] = [
  [() => call('GET', '/v1/vehicle/AB12CDE/insurance'), 200],
  [() => call('POST', '/v1/vehicle/bulk-insurance', { registrations: ['A1'] }), 200],
  [() => call('GET', '/v1/compliance/AB12CDE'), 200],
  [() => call('GET', CONTENT), 200],
  [() => create('during-errors'), 201],
  [() => call('GET', `${CONTENT}/${id}`), 200],
  [() => call('PUT', `${CONTENT}/${id}`, { title: 'X' }), 200],
  [() => call('DELETE', `${CONTENT}/00000000-0000-4000-8000-000000000000`), 404],
];

const isDataTable = ({ body }: DatabaseCall) => /-(vehicles|compliance|content)"/.test(body);

/** One request at a time, so that a slow machine has time for each. */
const askAll = async (): Promise<Reply[]> => {
  const replies: Reply[] = [];
  for (const [ask] of requests) replies.push(await ask());
  return replies;
};

describe.each<Fault>(['hang', 'resetBefore', 'error', { slowMs: 5_000 }])('A database that fails with %j', (fault) => {
  it.each([
    ['in all tables', () => true, /^\d+$/],
    ['in its data tables, with the real rate limit', isDataTable, /^6000$/],
  ])('makes every response a 500 with all headers, and no later response: %s', async (_where, fails, limit) => {
    api.faults.inject((request) => (fails(request) ? fault : undefined));
    for (const reply of await Promise.all(requests.map(([ask]) => ask()))) {
      expect(reply).toMatchObject({ status: 500, body: { code: 'INTERNAL_ERROR' } });
      for (const value of rateLimitOf(reply)) expect(value).toMatch(/^\d+$/);
      expect(rateLimitOf(reply)[0]).toMatch(limit);
      expect(reply.headers.get('x-request-id')).not.toBeNull();
    }
    api.faults.reset();
    const replies = await askAll();
    expect(replies.map(({ status }) => status)).toEqual(requests.map(([, healthy]) => healthy));
    await call('DELETE', `${CONTENT}/${idOf(replies[4] as Reply)}`);
  });
});

describe('A transaction', () => {
  it('that gets no response ends in a 500 at the deadline', async () => {
    api.faults.inject(forOperation('TransactWriteItems', always('hang')));
    const reply = await create('never-answered');
    expect([reply.status, rateLimitOf(reply)[0]]).toEqual([500, '6000']);
  });

  it.each(['resetAfter', 'errorAfter', 'truncate'] as const)(
    'that was applied before its response was lost (%s) is not applied twice',
    async (fault) => {
      const loseTwo = () => {
        let lost = 0;
        api.faults.inject(({ operation }) => {
          if (operation !== 'TransactWriteItems' || lost === 2) return undefined;
          lost += 1;
          return fault;
        });
      };
      loseTwo();
      const created = await create(`lost-${fault.toLowerCase()}`);
      expect(created.status).toBe(201);
      const path = `${CONTENT}/${idOf(created)}`;
      loseTwo();
      const changed = await call('PUT', path, { title: 'X' }, { 'If-Match': '"1"' });
      expect(changed.body).toMatchObject({ title: 'X', version: 2 });
      loseTwo();
      expect((await call('DELETE', path)).status).toBe(204);
      expect((await call('GET', path)).status).toBe(404);
    },
  );

  it('that is cancelled for a conflict beside conditions that fail is retried: no 409 SLUG_TAKEN, no 404', async () => {
    const cancelOnce = () => api.faults.inject(forOperation('TransactWriteItems', onNthCall(1, 'mixedCancellation')));
    const once = { 'Idempotency-Key': 'repeated' };
    const first = await create('repeated', once);
    cancelOnce();
    const again = await create('repeated', once);
    expect([again.status, again.body]).toEqual([201, first.body]);
    const path = `${CONTENT}/${idOf(first)}`;
    cancelOnce();
    expect((await call('PUT', path, { slug: 'repeated-elsewhere' })).status).toBe(200);
    cancelOnce();
    expect((await call('DELETE', path)).status).toBe(204);
  });
});
