import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../support/api.ts';

let api: TestApi;
let key: string;

beforeAll(async () => {
  api = await startApi();
  key = await api.newKey();
});
afterAll(() => api.stop());

describe('A path that no endpoint has', () => {
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
    const { status, body } = await api.call('GET', path, { key });
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'ROUTE_NOT_FOUND', title: 'Not Found' });
    expect((await api.call('GET', path)).status).toBe(401);
  });
});

describe('The detail of a 404', () => {
  it.each([
    ['/v1/vehicle/AB12CDE/insurance/', 'leave out the slash at its end'],
    ['/api/content/', 'leave out the slash at its end'],
    ['/vehicle/AB12CDE/insurance', 'paths begin with /v1'],
    ['/v1/vehicles/AB12CDE/', 'check it against the reference'],
    ['/api/content/a/b', 'check it against the reference'],
  ])('says of %s: %s', async (path, remedy) => {
    const { body } = await api.call('GET', path, { key });
    expect(body).toMatchObject({ detail: `The service has nothing at this path; ${remedy}.` });
  });
});

describe('A known path with another method', () => {
  it.each([
    ['DELETE', '/v1/vehicle/AB12CDE/insurance', 'GET'],
    ['GET', '/v1/vehicle/bulk-insurance', 'POST'],
    ['POST', '/v1/compliance/AB12CDE', 'GET'],
    ['PATCH', '/v1/api/content', 'GET, POST'],
    ['OPTIONS', '/api/content', 'GET, POST'],
    ['PATCH', '/api/content/x', 'GET, PUT, DELETE'],
    ['HEAD', '/v1/compliance/AB12CDE', 'GET'],
  ])('is 405 with Allow: %s %s', async (method, path, allow) => {
    const { status, headers } = await api.call(method, path, { key });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe(allow);
    expect((await api.call(method, path)).status).toBe(401);
  });
});
