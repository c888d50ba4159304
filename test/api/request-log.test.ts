import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Call } from '../support/api.ts';
import { catchOutput } from '../support/caught-output.ts';
import { always, forOperation, forTable } from '../support/fault-choosers.ts';
import { testApi } from '../support/test-api.ts';

const api = testApi(undefined, { logLevel: 'INFO' });
afterEach(() => {
  jest.restoreAllMocks();
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

/** The lines that are logged while a request is served, and its response. */
const logOf = async (path: string, options: Call) => {
  const lines = catchOutput();
  const { status, body } = await api.call('GET', path, options);
  jest.restoreAllMocks();
  return { status, body, lines: lines.map((line) => JSON.parse(line) as { message?: string; status?: number }) };
};

/** The line that is logged for a request with this `traceparent`. */
const loggedFor = async (traceparent: string) =>
  (await logOf('/v1/usage', { headers: { traceparent } })).lines.find(({ status }) => status !== undefined);

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

describe('The log of a request with a test key', () => {
  const FAILING = '/v1/vehicle/ER19ERR/insurance';
  const aTestKey = () => api.newKey({ environment: 'test' });

  it('has sandbox: true, which that of a live key lacks', async () => {
    const [test] = (await logOf('/v1/usage', { key: await aTestKey() })).lines;
    expect(test).toMatchObject({ status: 200, sandbox: true });
    const [live] = (await logOf('/v1/usage', { key: api.key })).lines;
    expect(live).not.toHaveProperty('sandbox');
  });

  it('has no internal error when the sandbox forced one', async () => {
    const { status, lines } = await logOf(FAILING, { key: await aTestKey() });
    expect(status).toBe(500);
    expect(lines).toEqual([expect.objectContaining({ level: 'INFO', status: 500, sandbox: true })]);
  });

  it('has the real internal error, which takes precedence over a forced one', async () => {
    const key = await aTestKey();
    api.faults.inject(forTable(api.engine.names.keys, forOperation('GetItem', always('error'))));
    const { body, lines } = await logOf(FAILING, { key });
    expect(body).toMatchObject({ status: 500, detail: expect.not.stringContaining('sandbox') });
    expect(lines.map(({ message }) => message)).toContain('failure');
  });
});
