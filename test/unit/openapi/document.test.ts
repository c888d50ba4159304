import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { type ProblemCode, problems, problemType } from '../../../core/problems.ts';
import { normaliseRegistration } from '../../../core/vehicles/registration.ts';
import { Registration } from '../../../functions/endpoints/document.ts';
import { type EndpointId, endpoints } from '../../../functions/endpoints/table.ts';
import { recordExamples } from '../../../local/record-examples.ts';
import { errorListMarkdown } from '../../../openapi/error-list.ts';
import { type Recording, recordedExamples } from '../../../openapi/examples.ts';
import { openApiDocument } from '../../../openapi/published-document.ts';
import { buildResponses, publicKeys } from '../../../openapi/responses.ts';

const kept = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
const ids = Object.keys(endpoints) as EndpointId[];
const recording: Recording = JSON.parse(kept('examples.json'));

describe('What `npm run openapi` writes is up to date', () => {
  it('docs/openapi.json, with the endpoints', () => {
    expect(JSON.parse(kept('openapi.json'))).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });

  it('docs/errors.md, with a section for every code at the anchor of its `type`', () => {
    expect(kept('errors.md')).toBe(errorListMarkdown());
    for (const code of Object.keys(problems) as ProblemCode[]) {
      expect(errorListMarkdown()).toContain(`<a id="${problemType(code).split('#')[1]}"></a>\n\n## ${code}\n`);
    }
  });

  it('docs/examples.json, with the responses of the service', async () => {
    expect(await recordExamples()).toEqual(recording);
  });
});

describe('The document', () => {
  it('has a 403 only for a request that needs a scope', () => {
    const statusesOf = (id: EndpointId) => Object.keys(buildResponses(id, endpoints[id], recordedExamples()));
    expect(ids.filter((id) => !statusesOf(id).includes('403'))).toEqual(['usage']);
  });

  it('says how the public keys may be cached', () => {
    const caching = { example: 'public, max-age=3600', schema: { pattern: '^public, max-age=[1-9][0-9]*$' } };
    expect(publicKeys.responses).toMatchObject({ 200: { headers: { 'Cache-Control': caching } } });
  });
});

describe('The schema of a registration in the document', () => {
  const fits = new Ajv2020({ strict: false }).compile({ ...Registration });
  const agrees = (text: string): boolean => fits(text) === (normaliseRegistration(text) !== undefined);
  const unit = fc.constantFrom(
    ...['A', 'b', 'O', 'u', 'Z', '0', '9', 'Ä', 'ö', 'Å', 'É', '\u0308', '\u030a', '\u0301', '\u212a', '\u212b'],
    ...[' ', '-', '.', '\u00b7', '\u0387', '\u00a0', '\u2000', '\u200b', '\n', '_', '🚗'],
  );

  it('accepts a string if and only if the service does', () => {
    fc.assert(fc.property(fc.string({ unit, maxLength: 34 }), agrees), { numRuns: 1_500 });
  });

  it('agrees with the service on every character', () => {
    const characters = Array.from({ length: 0xffff }, (_, index) => String.fromCharCode(index + 1));
    expect(characters.filter((character) => character.isWellFormed() && !agrees(`A${character}`))).toEqual([]);
  });
});
