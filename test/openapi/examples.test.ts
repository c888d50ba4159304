import { beforeEach, describe, expect, it } from '@jest/globals';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import type { Endpoint } from '../../functions/http/endpoint.ts';
import { loadSampleContent, loadSampleVehicles } from '../../lib/local/sample-database.ts';
import { commonProblems, examples } from '../../lib/openapi/examples/all-examples.ts';
import {
  CREATED_ID,
  EXAMPLE_KEY_ID,
  EXAMPLE_REQUEST_ID,
  EXAMPLE_TIME,
  type ExampleRequest,
} from '../../lib/openapi/examples/example.ts';
import type { Reply } from '../support/api.ts';
import { always } from '../support/fault-choosers.ts';
import { testApi } from '../support/test-api.ts';

const now = new Date(EXAMPLE_TIME);
let key: string;
const api = testApi(async ({ engine, newKey }) => {
  await loadSampleVehicles(engine.client, engine.names, now);
  await loadSampleContent(engine.client, engine.names, now);
  key = await newKey({ plan: 'standard' });
});
beforeEach(() => {
  api.clock.now = now.getTime();
});

const send = (row: Endpoint, { path = {}, query = {}, headers = {}, body }: ExampleRequest, as?: string) => {
  const filled = row.paths[0].replace(/\{(\w+)\}/g, (_slot, name: string) => encodeURIComponent(path[name] ?? ''));
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return api.call(row.method, search.size > 0 ? `${filled}?${search}` : filled, {
    key: as,
    headers,
    ...(body === undefined ? {} : { json: body }),
  });
};

const KEY_ID = /^[0-9a-f]{20}$/;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The example's answer with what differs from request to request left to its shape. */
const expected = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (_name, value) => {
    if (value === EXAMPLE_KEY_ID) return expect.stringMatching(KEY_ID);
    return value === EXAMPLE_REQUEST_ID || value === CREATED_ID ? expect.stringMatching(ID) : value;
  });

const unusedKey = () => api.newKey({ plan: 'standard', name: 'Example Garage', environment: 'live' });

const bodyOf = (reply: Reply): unknown => (reply.text === '' ? undefined : reply.body);

describe.each(Object.entries(endpoints) as [EndpointId, Endpoint][])('The examples of %s', (id, row) => {
  it.each(examples[id])('$name ($status): $summary', async ({ domains, request, status, headers = {}, body }) => {
    const bound = domains && (await api.newKey({ plan: 'standard', domains }));
    const reply = await send(row, request, id === 'usage' ? await unusedKey() : (bound ?? key));
    expect(reply.status).toBe(status);
    expect(bodyOf(reply)).toEqual(body === undefined ? undefined : expected(body));
    for (const [name, value] of Object.entries(headers)) {
      const created = (bodyOf(reply) as { id?: string }).id ?? '';
      expect(reply.headers.get(name)).toBe(value.replace(CREATED_ID, created));
    }
  });

  it('show every status that only this endpoint has', () => {
    expect(examples[id].some(({ status }) => status === row.successStatus)).toBe(true);
  });
});

describe('The example of an error that every endpoint shares', () => {
  const look = (as?: string) => send(endpoints['vehicle-insurance'], { path: { registration: 'AB12CDE' } }, as);

  it.each([
    ['UNAUTHORIZED', () => look()],
    ['SCOPE_MISSING', async () => look(await api.newKey({ scopes: ['content:read'] }))],
    ['RATE_LIMITED', overTheLimit],
    ['INTERNAL_ERROR', withoutDatabase],
  ] as const)('%s is what the service answers', async (code, ask) => {
    const reply = await ask();
    expect({ status: reply.status, body: reply.body }).toEqual(expected(commonProblems[code]));
  });

  async function overTheLimit() {
    const free = await api.newKey({ plan: 'free' });
    await Promise.all(Array.from({ length: 60 }, () => look(free)));
    return look(free);
  }

  function withoutDatabase() {
    api.faults.inject(always('error'));
    return look(key);
  }
});
