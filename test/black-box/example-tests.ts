import { describe, expect, it } from '@jest/globals';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import { requestTo } from '../../lib/local/record-examples.ts';
import { recordedExamples } from '../../lib/openapi/examples.ts';
import type { HttpCaller } from '../support/http-caller.ts';

const ids = (Object.keys(endpoints) as EndpointId[]).filter((id) => endpoints[id].tag !== 'Content');
const shown = ids.flatMap((id) =>
  recordedExamples()
    .of(id)
    .map((example) => ({ id, example })),
);

/** The examples of the document, of every endpoint without content of its own: a new endpoint needs no test here. */
export const exampleTests = (api: () => HttpCaller): void => {
  // What is 400 may depend on the plan of the key.
  const cases = shown.filter(({ example }) => example.status !== 400);
  describe('An example of the document', () => {
    it.each(cases.map(({ id, example }) => [id, example.name, example] as const))(
      '%s: %s',
      async (id, _name, example) => {
        const { method, url } = requestTo('http://any.example', endpoints[id], example);
        const { pathname, search } = new URL(url);
        const { headers = {}, body } = example.request;
        const reply = await api().call(method, pathname + search, {
          headers,
          ...(body !== undefined && { json: body }),
        });
        const shape = (value: unknown) => Object.keys(value as object).toSorted();
        expect([reply.status, shape(reply.body)]).toEqual([example.status, shape(example.body)]);
      },
    );
  });
};
