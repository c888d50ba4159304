import { describe, expect, it } from '@jest/globals';
import { runCommand } from '../admin/command-line.ts';
import { NOON } from '../support/clock.ts';
import { someFields } from '../support/content.ts';
import { rateLimitOf, testApi } from '../support/test-api.ts';

const PATH = '/v1/api/content';

const api = testApi();

interface NewKey {
  readonly id: string;
  readonly key: string;
}

const keys = async (...args: string[]): Promise<NewKey> => {
  const options = ['--json', '--dynamodb', api.engine.endpoint];
  const { stdout } = await runCommand(['keys', ...args, ...options], api.engine.names, { now: new Date(NOON) });
  return JSON.parse(stdout) as NewKey;
};
const newKey = () => keys('create', '--name', 'Acme', '--plan', 'premium');

const create = (key: string, slug: string) =>
  api.call('POST', PATH, { key, json: someFields('rotated.example', slug), headers: { 'Idempotency-Key': slug } });

describe('The successor of a key', () => {
  it('returns the item for a repeated creation of any earlier key, and creates nothing', async () => {
    const first = await newKey();
    const created = await create(first.key, 'once');
    expect(created.status).toBe(201);
    const second = await keys('rotate', first.id);
    const third = await keys('rotate', second.id);
    for (const { key } of [second, third, first]) {
      expect(await create(key, 'once')).toMatchObject({ status: 201, body: created.body as object });
    }
    expect(await create((await newKey()).key, 'once')).toMatchObject({ status: 409, body: { code: 'SLUG_TAKEN' } });
  });

  it('returns the item when the previous key repeats its creation', async () => {
    const first = await newKey();
    const { key } = await keys('rotate', first.id);
    const created = await create(key, 'by-the-successor');
    expect(await create(first.key, 'by-the-successor')).toMatchObject({ status: 201, body: created.body as object });
  });

  it('is valid together with the old key, each with its own limit, until the overlap ends', async () => {
    const old = await newKey();
    const { key } = await keys('rotate', old.id, '--overlap-days', '2');
    const list = (of: string) => api.call('GET', PATH, { key: of });
    expect(rateLimitOf(await list(old.key))[1]).toBe('5999');
    expect(rateLimitOf(await list(key))[1]).toBe('5999');
    api.clock.now = Date.parse('2026-06-17T22:59:59Z');
    expect((await list(old.key)).status).toBe(200);
    api.clock.now = Date.parse('2026-06-17T23:00:00Z');
    expect([(await list(old.key)).status, (await list(key)).status]).toEqual([401, 200]);
  });

  it('replaces the old key immediately when there is no overlap', async () => {
    const old = await newKey();
    const { key } = await keys('rotate', old.id, '--overlap-days', '0');
    expect((await api.call('GET', PATH, { key: old.key })).status).toBe(401);
    expect((await api.call('GET', PATH, { key })).status).toBe(200);
  });
});
