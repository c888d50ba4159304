import { describe, expect, it } from '@jest/globals';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import { requestTo } from '../../local/record-examples.ts';
import { recordedExamples } from '../../openapi/examples.ts';
import type { Call } from '../support/send.ts';
import { expectProblem, expectSuccess } from './expectations.ts';
import type { HttpCaller } from './http-caller.ts';

const ids = (Object.keys(endpoints) as EndpointId[]).filter((id) => endpoints[id].tag !== 'Content');
const examples = ids.flatMap((id) =>
  recordedExamples()(id).map((example) => ({ id, example, body: example.body as Readonly<Record<string, unknown>> })),
);

/** What depends on the time, the deployment or the request. */
const VARIABLE = /"(\d{4}-\d\d-\d\d(T[\d:.]+Z)?|[^"]*#[a-z-]+)"|(?<="requestId":)"[^"]*"/g;
/** What a deployment may have or lack: the plan of this key may have no allowance, and the stage may have an intake. */
const OPTIONAL = ['allowance', 'sources'];
const comparable = (body: unknown) => {
  const text = JSON.stringify(body, (name, value) => (OPTIONAL.includes(name) ? undefined : value));
  return JSON.parse(text.replace(VARIABLE, '""'));
};

/** The examples of the document, of every endpoint without content of its own: a new endpoint needs no test here. */
const exampleTests = (api: () => HttpCaller): void => {
  // The key of these tests is of another plan than the key of the examples.
  const cases = examples.filter(({ body }) => body.code !== 'BULK_TOO_LARGE');
  describe('An example of the document', () => {
    it.each(cases.map((each) => [each.id, each.example.name, each] as const))(
      '%s: %s',
      async (_id, _name, { id, example, body }) => {
        const { method, url } = requestTo('http://any.example', endpoints[id], example);
        const { pathname, search } = new URL(url);
        const { headers = {}, body: json } = example.request;
        const reply = await api().call(method, pathname + search, { headers, ...(json !== undefined && { json }) });
        if (example.status < 400) expectSuccess(reply, {}, example.status);
        else expectProblem(reply, example.status, String(body.code));
        expect(Object.keys(comparable(reply.body)).toSorted()).toEqual(Object.keys(comparable(body)).toSorted());
        // What is true of a day of the recording is not of the same day today.
        if (id !== 'usage' && !('asOf' in body)) expect(comparable(reply.body)).toEqual(comparable(body));
      },
    );
  });
};

/** Lookups of one vehicle besides the examples of the document. */
const lookupTests = (api: () => HttpCaller): void => {
  const insuranceOf = (registration: string, query = '') =>
    api().call('GET', `/v1/vehicle/${encodeURIComponent(registration)}/insurance${query}`);

  describe('Insurance of one vehicle', () => {
    it.each(['ab12 cde', 'öl-77.ä'])('is 200 for %s', async (registration) => {
      expectSuccess(await insuranceOf(registration), { registration, insured: true });
    });

    it('is 200 with asOf for another day', async () => {
      expectSuccess(await insuranceOf('AB12CDE', '?date=2000-02-29'), { insured: false, asOf: '2000-02-29' });
      expectSuccess(await insuranceOf('KR08NIL', '?date=2099-12-31'), { insured: false, asOf: '2099-12-31' });
    });
  });
};

const JSON_TYPE = { 'Content-Type': 'application/json' };
const sent = (registrations: readonly unknown[], more: object = {}) => ({ json: { registrations, ...more } });

const REJECTED: readonly [string, Call, string, object?][] = [
  ['an empty list', sent([]), 'VALIDATION_FAILED', { errors: [{ pointer: '/registrations' }] }],
  ['an entry that is no text', sent(['A1', 7]), 'VALIDATION_FAILED', { errors: [{ pointer: '/registrations/1' }] }],
  ['no list', { json: {} }, 'VALIDATION_FAILED', { errors: [{ pointer: '/registrations' }] }],
  ['no object', { raw: 'null', headers: JSON_TYPE }, 'VALIDATION_FAILED'],
  ['more than any plan can allow', sent(Array(1_001).fill('A1')), 'BULK_TOO_LARGE'],
  ['no JSON', { raw: '{', headers: JSON_TYPE }, 'MALFORMED_JSON'],
  ['another type', { raw: '{}', headers: { 'Content-Type': 'text/plain' } }, 'UNSUPPORTED_CONTENT_TYPE'],
  ['over 1 MB', { raw: `"${'x'.repeat(1_000_100)}"`, headers: JSON_TYPE }, 'BODY_TOO_LARGE'],
];

const INSURANCE = '/v1/vehicle/bulk-insurance';
const COMPLIANCE = '/v1/vehicle/bulk-compliance';

/** Lookups in bulk besides the examples of the document, and every way in which a body is rejected. */
const bulkTests = (api: () => HttpCaller): void => {
  const post = (call: Call, path = INSURANCE) => api().call('POST', path, call);

  it('Insurance in bulk is 200 with asOf for another day', async () => {
    const results = [{ registration: 'AB12 CDE', insured: false }];
    const reply = await post(sent(['AB12 CDE'], { date: '2000-02-29' }));
    expectSuccess(reply, { asOf: '2000-02-29', results });
  });

  describe.each([INSURANCE, COMPLIANCE])('POST %s', (path) => {
    it('returns one result per entry, in order, duplicates included', async () => {
      const registrations = ['AB12 CDE', 'RA09SRN', 'ZZ99ZZZ', '!', 'AB12 CDE'];
      const reply = await post(sent(registrations), path);
      const results = registrations.map((registration) => ({ registration }));
      expectSuccess(reply, { processed: 5, successful: 3, failed: 2, results });
      const [first, , , , last] = reply.body.results as readonly object[];
      expect(last).toEqual(first);
    });

    it.each(REJECTED)('is 400 for %s', async (_title, call, code, more = {}) => {
      expectProblem(await post(call, path), 400, code, more);
    });
  });
};

/** Lookups of sample vehicles, alone and in bulk. */
export const vehicleTests = (api: () => HttpCaller): void => {
  exampleTests(api);
  lookupTests(api);
  bulkTests(api);
};
