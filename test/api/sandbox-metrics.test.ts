import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { catchOutput } from '../support/caught-output.ts';
import { always, forOperation, forTable } from '../support/fault-choosers.ts';
import { testApi } from '../support/test-api.ts';

// Read when the functions are loaded, with the first request to each.
process.env.POWERTOOLS_METRICS_NAMESPACE = 'VehicleVerification/test';

const api = testApi();
afterEach(() => {
  jest.restoreAllMocks();
});

/** The metrics of a lookup with a new test key. */
const metricsOf = async (path: string) => {
  const key = await api.newKey({ environment: 'test' });
  const lines = catchOutput();
  const { status } = await api.call('GET', path, { key });
  jest.restoreAllMocks();
  const measured = lines.map((line) => JSON.parse(line)).find((line) => 'ServerErrors' in line);
  const { Requests, ServerErrors, DatabaseErrors, RateLimited } = measured;
  return { status, Requests, ServerErrors, DatabaseErrors, RateLimited };
};

describe('The metrics of a request with a test key', () => {
  const none = { Requests: 1, ServerErrors: 0, DatabaseErrors: undefined, RateLimited: undefined };

  it.each(['/v1/vehicle/{}/insurance', '/v1/compliance/{}'])(
    'count the request and no error when the outcome of %s is forced',
    async (path) => {
      expect(await metricsOf(path.replace('{}', 'ER19ERR'))).toEqual({ status: 500, ...none });
      expect(await metricsOf(path.replace('{}', 'ER19THR'))).toEqual({ status: 429, ...none });
    },
  );

  it('count a real error, even where one would be forced', async () => {
    api.faults.inject(forTable(api.engine.names.keys, forOperation('GetItem', always('error'))));
    const real = { Requests: 1, ServerErrors: 1, DatabaseErrors: 1, RateLimited: undefined };
    expect(await metricsOf('/v1/vehicle/ER19ERR/insurance')).toEqual({ status: 500, ...real });
  });
});
