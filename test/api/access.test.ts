import { describe, expect, it } from '@jest/globals';
import { generateKey } from '../../core/access/api-key.ts';
import { SCOPES } from '../../core/access/scopes.ts';
import { runCommand } from '../admin/command-line.ts';
import { NOON } from '../support/clock.ts';
import { someFields } from '../support/content.ts';
import { always, forOperation } from '../support/fault-choosers.ts';
import { aVehicle } from '../support/records.ts';
import { RESET, rateLimitOf, testApi } from '../support/test-api.ts';

const api = testApi(({ loadVehicles }) => loadVehicles(aVehicle('AB12CDE')));
const CONTENT = '/v1/api/content';

/** Every form of the two headers: test/http/key-form.test.ts. */
it('An unknown key gets the same 401 for a known, an unknown and an invalid registration', async () => {
  const key = generateKey('test');
  const lookUp = (plate: string) => api.call('GET', `/v1/vehicle/${plate}/insurance`, { key });
  const replies = await Promise.all(['AB12CDE', 'ZZ99ZZZ', 'not_a_plate'].map(lookUp));
  const bodies = replies.map(({ body }) => ({ ...(body as object), requestId: '' }));
  expect(bodies).toEqual(Array(3).fill({ ...bodies[0], code: 'UNAUTHORIZED' }));
  expect(replies.map(rateLimitOf)).toEqual(Array(3).fill(['0', '0', RESET]));
});

describe('A scope', () => {
  it.each([
    ['vehicles:read', 'GET', '/v1/vehicle/AB12CDE/insurance'],
    ['vehicles:read', 'POST', '/v1/vehicle/bulk-insurance'],
    ['compliance:read', 'GET', '/v1/compliance/AB12CDE'],
    ['compliance:read', 'POST', '/v1/vehicle/bulk-compliance'],
    ['content:read', 'GET', '/api/content'],
    ['content:read', 'GET', '/v1/api/content/some-id'],
    ['content:write', 'POST', '/v1/api/content'],
    ['content:write', 'PUT', '/api/content/some-id'],
    ['content:write', 'DELETE', '/api/content/some-id'],
  ] as const)('%s is needed for %s %s: 403 comes before every issue of the request', async (scope, method, path) => {
    const without = await api.newKey({ scopes: SCOPES.filter((other) => other !== scope) });
    const reply = await api.call(method, path, { key: without });
    expect(reply).toMatchObject({
      status: 403,
      body: { code: 'SCOPE_MISSING', detail: expect.stringContaining(scope) },
    });
    expect(rateLimitOf(reply)[1]).toBe('5999');
    const alone = await api.newKey({ scopes: [scope] });
    expect((await api.call(method, path, { key: alone })).status).not.toBe(403);
  });
});

/** Under every other fault: `npm run test:faults`. */
describe('Admission fails closed', () => {
  it.each([
    ['500 when the key cannot be read', 'GetItem', 'error', 500, ['0', '0', RESET]],
    ['500 when the request cannot be counted', 'UpdateItem', 'error', 500, ['0', '0', RESET]],
    ['429 when the counter itself is throttled', 'UpdateItem', 'throttle', 429, ['6000', '0', RESET]],
  ] as const)('with %s', async (_what, operation, fault, status, rateLimit) => {
    api.faults.inject(forOperation(operation, always(fault)));
    const reply = await api.call('GET', '/v1/usage', { key: api.key });
    expect([reply.status, rateLimitOf(reply)]).toEqual([status, rateLimit]);
  });
});

describe('The successor of a key', () => {
  const keys = async (...args: string[]): Promise<{ readonly id: string; readonly key: string }> => {
    const options = ['--json', '--dynamodb', api.engine.endpoint];
    const { stdout } = await runCommand(['keys', ...args, ...options], api.engine.names, { now: new Date(NOON) });
    return JSON.parse(stdout);
  };
  const newKey = () => keys('create', '--name', 'Acme', '--plan', 'premium');
  const create = ({ key }: { key: string }, slug: string) =>
    api.call('POST', CONTENT, { key, json: someFields('rotated.example', slug), headers: { 'Idempotency-Key': slug } });

  it('returns the item for a repeated creation of any other key in the succession, and creates nothing', async () => {
    const first = await newKey();
    const { body } = await create(first, 'once');
    const second = await keys('rotate', first.id);
    const third = await keys('rotate', second.id);
    for (const key of [second, third, first]) expect(await create(key, 'once')).toMatchObject({ status: 201, body });
    const { body: later } = await create(third, 'later');
    expect(await create(first, 'later')).toMatchObject({ status: 201, body: later });
    expect((await create(await newKey(), 'once')).body).toMatchObject({ status: 409, code: 'SLUG_TAKEN' });
  });

  it('is valid together with the old key, each with its own limit, until the last day ends in London', async () => {
    const old = await newKey();
    const successor = await keys('rotate', old.id, '--overlap-days', '2');
    const list = ({ key }: { key: string }) => api.call('GET', CONTENT, { key });
    expect([rateLimitOf(await list(old))[1], rateLimitOf(await list(successor))[1]]).toEqual(['5999', '5999']);
    api.clock.now = Date.parse('2026-06-17T22:59:59Z');
    expect((await list(old)).status).toBe(200);
    api.clock.now = Date.parse('2026-06-17T23:00:00Z');
    expect([(await list(old)).status, (await list(successor)).status]).toEqual([401, 200]);
  });
});
