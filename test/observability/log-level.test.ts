import { afterEach, expect, it, jest } from '@jest/globals';
import { catchOutput } from '../support/caught-output.ts';
import { testApi } from '../support/test-api.ts';

const api = testApi();
afterEach(() => {
  jest.restoreAllMocks();
});

it('Writes no request line at a higher log level where no metrics are collected', async () => {
  const lines = catchOutput();
  const { status } = await api.call('GET', '/v1/usage', { key: api.key });
  jest.restoreAllMocks();
  expect([status, lines]).toEqual([200, []]);
});
