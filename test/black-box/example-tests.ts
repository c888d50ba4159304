import { describe, expect, it } from '@jest/globals';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import { requestTo } from '../../local/record-examples.ts';
import { recordedExamples } from '../../openapi/examples.ts';
import type { HttpCaller } from '../support/http-caller.ts';
import { expectProblem, expectSuccess } from './expectations.ts';

const ids = (Object.keys(endpoints) as EndpointId[]).filter((id) => endpoints[id].tag !== 'Content');
const examples = ids.flatMap((id) =>
  recordedExamples()(id).map((example) => ({ id, example, body: example.body as Readonly<Record<string, unknown>> })),
);

/** What depends on the time, the deployment or the request. */
const VARIABLE = /"(\d{4}-\d\d-\d\d(T[\d:.]+Z)?|[^"]*#[a-z-]+)"|(?<="requestId":)"[^"]*"/g;
const comparable = (body: unknown) => JSON.parse(JSON.stringify(body).replace(VARIABLE, '""'));

/** The examples of the document, of every endpoint without content of its own: a new endpoint needs no test here. */
export const exampleTests = (api: () => HttpCaller): void => {
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
        expect(Object.keys(reply.body).toSorted()).toEqual(Object.keys(body).toSorted());
        // What is true of a day of the recording is not of the same day today.
        if (id !== 'usage' && !('asOf' in body)) expect(comparable(reply.body)).toEqual(comparable(body));
      },
    );
  });
};
