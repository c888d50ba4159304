import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { catchOutput } from '../support/caught-output.ts';
import { testApi } from '../support/test-api.ts';

const api = testApi(undefined, { logLevel: 'INFO' });
afterEach(() => {
  jest.restoreAllMocks();
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

/** The line that is logged for a request with this `traceparent`. */
const loggedFor = async (traceparent: string) => {
  const lines = catchOutput();
  await api.call('GET', '/v1/usage', { headers: { traceparent } });
  jest.restoreAllMocks();
  return lines.map((line) => JSON.parse(line)).find(({ message }) => message === 'request');
};

describe('The log line of a request', () => {
  it.each([`00-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-00`, `cc-${TRACE}-${PARENT}-01-later`])(
    'has the trace id of the traceparent %s',
    async (traceparent) => {
      expect(await loggedFor(traceparent)).toMatchObject({ endpoint: 'usage', traceId: TRACE });
    },
  );

  it.each([
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${PARENT}-01-later`,
    `00-${TRACE}-${PARENT}`,
    `${TRACE}`,
    'vvc_live_secret',
  ])('has none for the invalid traceparent %s', async (traceparent) => {
    expect(await loggedFor(traceparent)).not.toHaveProperty('traceId');
  });
});
