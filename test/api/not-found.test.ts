import { describe, expect, it } from '@jest/globals';
import { testApi } from '../support/test-api.ts';

const api = testApi();
const call = (method: string, path: string) => api.call(method, path, { key: api.key });

describe('A path of no endpoint', () => {
  it.each([
    '/',
    '/v1',
    '/v1/',
    '/v2/vehicle/AB12CDE/insurance',
    '/v1/vehicle/AB12CDE',
    '/vehicle/AB12CDE/insurance',
    '/v1/api/content/a/b',
    '/v1/api/content/',
    '/v1/api%2Fcontent',
    '/v1/compliance%2FAB12CDE',
    '/%',
    '/%E0%A4%A',
    '//',
  ])('is 404 ROUTE_NOT_FOUND with a key and 401 without: %s', async (path) => {
    expect(await call('GET', path)).toMatchObject({
      status: 404,
      body: { code: 'ROUTE_NOT_FOUND', title: 'Not Found' },
    });
    expect((await api.call('GET', path)).status).toBe(401);
  });

  it.each([
    ['/v1/vehicle/AB12CDE/insurance/', 'remove the trailing slash'],
    ['/api/content/', 'remove the trailing slash'],
    ['/vehicle/AB12CDE/insurance', 'paths begin with /v1'],
    ['/v1/vehicles/AB12CDE/', 'check it against the reference'],
    ['/api/content/a/b', 'check it against the reference'],
  ])('gets a detail with the remedy: %s: %s', async (path, remedy) => {
    const { body } = await call('GET', path);
    expect(body).toMatchObject({ detail: `The service has nothing at this path; ${remedy}.` });
  });
});

it.each([
  ['DELETE', '/v1/vehicle/AB12CDE/insurance', 'GET'],
  ['GET', '/v1/vehicle/bulk-insurance', 'POST'],
  ['POST', '/v1/compliance/AB12CDE', 'GET'],
  ['PATCH', '/v1/api/content', 'GET, POST'],
  ['OPTIONS', '/api/content', 'GET, POST'],
  ['PATCH', '/api/content/x', 'GET, PUT, DELETE'],
  ['HEAD', '/v1/compliance/AB12CDE', 'GET'],
])('A known path with another method is 405 with Allow: %s %s', async (method, path, allow) => {
  const { status, headers } = await call(method, path);
  expect([status, headers.get('allow')]).toEqual([405, allow]);
  expect((await api.call(method, path)).status).toBe(401);
});
