import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import { recordExamples } from '../../lib/local/record-examples.ts';
import { openApiDocument } from '../../lib/openapi/document.ts';
import { exampleRequestsOf, type Recording, recordedExamples } from '../../lib/openapi/examples.ts';

const ids = Object.keys(endpoints) as EndpointId[];
const recording: Recording = JSON.parse(readFileSync(new URL('../../docs/examples.json', import.meta.url), 'utf8'));

interface Media {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** Every media type object of the document. */
const mediaIn = (node: unknown): Media[] => {
  if (typeof node !== 'object' || node === null) return [];
  const { content, ...rest } = node as { readonly content?: Readonly<Record<string, Media>> };
  return [...Object.values(content ?? {}), ...Object.values(rest).flatMap(mediaIn)];
};

describe('docs/examples.json', () => {
  it('equals the responses of the service; `npm run openapi` writes it', async () => {
    expect(await recordExamples()).toEqual(recording);
  });

  it.each(ids)('has a successful response: %s', (id) => {
    const statuses = recordedExamples()
      .of(id)
      .map(({ status }) => status);
    expect(statuses).toContain(endpoints[id].successStatus);
  });

  it('has a response for every example request, and no others', () => {
    const named = (examples: object) => Object.keys(examples).sort();
    for (const id of ids) {
      expect(named(recording.endpoints[id] ?? {})).toEqual(
        exampleRequestsOf(id)
          .map(({ name }) => name)
          .sort(),
      );
    }
  });
});

describe('The examples in the document', () => {
  const document = openApiDocument();
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const responses = mediaIn([document.components, Object.values(document.paths as object)].flat()).flatMap(
    ({ schema, examples = {} }) => Object.values(examples).map(({ value }) => [schema, value] as const),
  );

  it('match their schemas', () => {
    expect(responses.length).toBeGreaterThan(ids.length);
    for (const [schema, value] of responses) {
      const fits = ajv.compile({ ...schema, components: document.components });
      expect([fits(value), fits.errors]).toEqual([true, null]);
    }
  });
});

describe('An example that is not recorded', () => {
  it('is an error that names the example and the command that records it', () => {
    const { usage: _forgotten, ...others } = recording.endpoints;
    expect(() => openApiDocument({}, recordedExamples({ ...recording, endpoints: others }))).toThrow(
      'example quiet of endpoint usage is not recorded: run `npm run openapi`',
    );
  });
});
