import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { type Reply, startApi, type TestApi } from './api.ts';
import { NOON } from './clock.ts';

/** An API for the tests of a file, with a premium key; each test begins without faults and at `NOON`. */
export const testApi = (
  prepare: (api: TestApi) => Promise<unknown> = async () => undefined,
  options: Parameters<typeof startApi>[0] = {},
): TestApi & { readonly key: string } => {
  const api = {} as TestApi & { key: string };
  beforeAll(async () => {
    Object.assign(api, await startApi(options));
    api.key = await api.newKey();
    await prepare(api);
  });
  afterEach(() => {
    api.faults.reset();
    api.kmsFaults.reset();
    api.clock.now = NOON;
  });
  afterAll(() => api.stop());
  return api;
};

/** The X-RateLimit headers of a reply: limit, remaining and reset. */
export const rateLimitOf = ({ headers }: Reply): (string | null)[] =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));

/** When the window of `NOON` ends, as in X-RateLimit-Reset. */
export const RESET = String(Date.parse('2026-06-15T12:01:00Z') / 1_000);
