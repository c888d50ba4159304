import { describe, expect, it } from '@jest/globals';
import { fillDomain } from '../support/content.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi(async ({ engine }) => fillDomain(engine.client, engine.names.content, 'news.example', 20));

const ENTRIES = 50;
const GZIP = { 'Accept-Encoding': 'gzip' };

const bulk = (what: 'insurance' | 'compliance', headers: Record<string, string>, entries = ENTRIES) =>
  api.call('POST', `/v1/vehicle/bulk-${what}`, {
    key: api.key,
    headers,
    json: { registrations: Array<string>(entries).fill('AB12CDE') },
  });
const list = (headers: Record<string, string>, query = 'domain=news.example&limit=20') =>
  api.call('GET', `/v1/api/content?${query}`, { key: api.key, headers });

/** docs/contract.md#every-response */
describe('A response', () => {
  it.each([
    ['a bulk answer about insurance', (headers: Record<string, string>) => bulk('insurance', headers)],
    ['a bulk answer about compliance', (headers: Record<string, string>) => bulk('compliance', headers)],
    ['a page of a list', (headers: Record<string, string>) => list(headers)],
  ])('is compressed to the same text when it is large and the caller accepts it: %s', async (_, request) => {
    const [plain, compressed] = [await request({}), await request(GZIP)];
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(compressed.text).toBe(plain.text);
    const [less, all] = [compressed, plain].map(({ headers }) => Number(headers.get('content-length')));
    expect(less).toBeLessThan(Number(all) / 2);
  });

  it('is compressed when it is an error with many issues', async () => {
    const reply = await api.call('POST', '/v1/vehicle/bulk-insurance', {
      key: api.key,
      headers: GZIP,
      json: { registrations: Array<number>(ENTRIES).fill(1) },
    });
    expect(reply.status).toBe(400);
    expect(reply.headers.get('content-encoding')).toBe('gzip');
    expect(reply.body.errors).toHaveLength(ENTRIES);
  });

  it.each([
    ['gzip', 'gzip'],
    ['deflate, GZIP;q=0.5, br', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', 'gzip'],
    ['gzip;q=0', null],
    ['gzip; Q=0.000, *', null],
    ['*;q=0', null],
    ['gzip;q=high', null],
    ['gzip;q=2, *;q=1.000', 'gzip'],
    ['gzip;level=9', null],
    ['br, deflate', null],
    ['', null],
  ])('to Accept-Encoding "%s" has the coding %s', async (accepted, coding) => {
    const reply = await bulk('insurance', { 'Accept-Encoding': accepted });
    expect(reply.headers.get('content-encoding')).toBe(coding);
  });

  it('below 2 kB is not compressed', async () => {
    expect((await bulk('insurance', GZIP, 2)).headers.get('content-encoding')).toBeNull();
  });

  it('tells caches that it depends on Accept-Encoding, whatever was sent', async () => {
    const replies = [await bulk('insurance', {}), await list(GZIP, 'limit=0'), await bulk('compliance', {}, 2_000)];
    expect(replies.map(({ status, headers }) => [status, headers.get('vary')])).toEqual([
      [200, 'Accept-Encoding'],
      [400, 'Accept-Encoding'],
      [400, 'Accept-Encoding'],
    ]);
  });

  it('to a single lookup is never compressed', async () => {
    const reply = await api.call('GET', '/v1/vehicle/AB12CDE/insurance', { key: api.key, headers: GZIP });
    expect(reply.headers.get('vary')).toBeNull();
    expect(reply.headers.get('content-encoding')).toBeNull();
  });
});
