import { describe, expect, it } from '@jest/globals';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import { requestTo } from '../../local/record-examples.ts';
import { recordedExamples } from '../../openapi/examples.ts';
import { BULK_LOOKUPS } from '../support/lookups.ts';
import type { Call } from '../support/send.ts';
import { expectProblem, expectSuccess } from './expectations.ts';
import type { HttpCaller } from './http-caller.ts';

const ids = (Object.keys(endpoints) as EndpointId[]).filter((id) => endpoints[id].tag !== 'Content');
const examples = ids.flatMap((id) =>
  recordedExamples(id).map((example) => ({ id, example, body: example.body as Readonly<Record<string, unknown>> })),
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

const JSON_TYPE = { 'Content-Type': 'application/json' };
/** Every other way in which a request is rejected: test/api. */
const REJECTED: readonly [string, Call, string][] = [
  ['an empty list', { json: { registrations: [] } }, 'VALIDATION_FAILED'],
  ['no JSON', { raw: '{', headers: JSON_TYPE }, 'MALFORMED_JSON'],
  ['over 1 MB', { raw: `"${'x'.repeat(1_000_100)}"`, headers: JSON_TYPE }, 'BODY_TOO_LARGE'],
];

/** Lookups of sample vehicles, alone and in bulk. */
export const vehicleTests = (api: () => HttpCaller): void => {
  exampleTests(api);

  it.each(['ab12 cde', 'öl-77.ä'])('Insurance of one vehicle is 200 for %s', async (registration) => {
    const reply = await api().call('GET', `/v1/vehicle/${encodeURIComponent(registration)}/insurance`);
    expectSuccess(reply, { registration, insured: true });
  });

  it.each(BULK_LOOKUPS.flatMap((path) => REJECTED.map((rejected) => [path, ...rejected] as const)))(
    'POST %s is 400 for %s',
    async (path, _title, call, code) => {
      expectProblem(await api().call('POST', path, call), 400, code);
    },
  );
};
