/** The OpenAPI document: it says what the service accepts, in a form that imports and generated clients need. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { normaliseRegistration } from '../../../core/vehicles/registration.ts';
import { referenceHeader, registrationSchema } from '../../../functions/endpoints/document.ts';
import { type EndpointId, endpoints } from '../../../functions/endpoints/table.ts';
import { dateInput } from '../../../functions/endpoints/vehicle-insurance/date-input.ts';
import type { InputSchemas } from '../../../functions/http/input.ts';
import { noInput, QUERY_PARAMETERS } from '../../../functions/http/validation.ts';
import { documents } from '../../../openapi/endpoint-documents.ts';
import { openApiDocument } from '../../../openapi/published-document.ts';

type Node = Readonly<Record<string, unknown>>;

const document: Node = openApiDocument();

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const followed = (ref: string): unknown =>
  ref
    .split('/')
    .slice(1)
    .reduce<unknown>((node, step) => (isNode(node) ? node[step] : undefined), document);

/** A part of the document, with everything that it contains or references, each once; without examples. */
const nodesOf = (value: unknown, found = new Set<Node>()): Set<Node> => {
  if (!isNode(value) || found.has(value)) return found;
  found.add(value);
  if (typeof value.$ref === 'string') nodesOf(followed(value.$ref), found);
  for (const [key, inner] of Object.entries(value)) {
    if (key !== 'examples') nodesOf(inner, found);
  }
  return found;
};

interface Operation {
  readonly parameters?: readonly Node[];
  readonly requestBody?: { readonly content: { readonly 'application/json': Node } };
  readonly responses: Readonly<Record<string, Node>>;
}

const operations = Object.values(
  document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>,
).flatMap((item) => ['get', 'post', 'put', 'delete'].flatMap((method) => item[method] ?? []));
const parameters = operations.flatMap((operation) => operation.parameters ?? []);
const bodies = operations.flatMap(({ requestBody }) => (requestBody ? [requestBody.content['application/json']] : []));
const answers = [...nodesOf(operations.map(({ responses }) => responses)), ...nodesOf(document['x-other-requests'])];
const objectSchemas = (nodes: readonly Node[]) => nodes.filter(({ properties }) => isNode(properties));

describe('For generated clients the document', () => {
  const everywhere = [...nodesOf(document)];

  it('has no alternatives but a reference and null, in which Go and Python have no types of their own', () => {
    const alternatives = everywhere.flatMap(({ anyOf, oneOf, allOf }) => [anyOf, oneOf, allOf].filter(Boolean));
    expect(alternatives.length).toBeGreaterThan(0);
    for (const each of alternatives) expect(each).toEqual([{ $ref: expect.any(String) }, { type: 'null' }]);
  });

  it('has a type beside every `enum` and `const`, which are of text only', () => {
    const fixed = everywhere.filter((node) => 'const' in node || Array.isArray(node.enum));
    expect(fixed.length).toBeGreaterThan(2);
    expect(fixed.filter(({ type }) => type !== 'string')).toEqual([]);
  });

  it('allows additional fields in every object of a response, and none in request bodies, where they are misspelt', () => {
    expect(objectSchemas(answers).length).toBeGreaterThan(8);
    expect(answers.filter(({ additionalProperties }) => additionalProperties === false)).toEqual([]);
    const sent = objectSchemas([...nodesOf(bodies)]);
    expect(sent.length).toBeGreaterThan(2);
    expect(sent.filter(({ additionalProperties }) => additionalProperties !== false)).toEqual([]);
  });
});

const firstValue = ({ examples = {} }: Node) => Object.values(examples as Readonly<Record<string, Node>>)[0]?.value;

// Postman and Bruno send every parameter that has an example, and openapi-to-postmanv2 the summary of a falsy one.
it('For a first request from an import every parameter but `date`, `slug`, `after`, `If-None-Match` and `X-Reference`, body and response has an example that is not falsy', () => {
  const responses = [...nodesOf(operations.map((operation) => operation.responses))].flatMap((node) =>
    [node['application/json'], node['application/problem+json']].filter(isNode),
  );
  expect(parameters.length).toBeGreaterThan(10);
  expect(bodies.length).toBeGreaterThan(2);
  expect(responses.length).toBeGreaterThan(20);
  const others = parameters.filter(
    ({ name }) => !['date', 'slug', 'after', 'If-None-Match', 'X-Reference'].includes(String(name)),
  );
  for (const described of [...others, ...bodies, ...responses]) expect(firstValue(described)).toBeTruthy();
});

it.each(Object.keys(endpoints) as EndpointId[])(
  'An endpoint documents the input that it reads, and no other: %s',
  async (id) => {
    const file = join(resolve(import.meta.dirname, '../../../functions/endpoints'), id, 'input.ts');
    const { query, headers, body }: InputSchemas = documents[id];
    if (existsSync(file)) {
      const { input } = (await import(file)) as { input: { schemas: InputSchemas } };
      expect({ query, headers, body }).toMatchObject(input.schemas);
    } else {
      // The inputs without a schema.
      const { query: names } = id === 'vehicle-insurance' ? dateInput : noInput;
      expect(Object.keys(query?.properties ?? {})).toEqual(names);
      expect(headers).toEqual('vehicles' in endpoints[id].tables ? referenceHeader : undefined);
      expect(body).toBeUndefined();
    }
  },
);

it('Every function knows the query parameters of all endpoints', () => {
  const names = Object.values(documents).flatMap(({ query }) => Object.keys(query?.properties ?? {}));
  expect(QUERY_PARAMETERS.toSorted()).toEqual([...new Set(names)].toSorted());
});

describe('The schema of a registration in the document', () => {
  const fits = new Ajv2020({ strict: false }).compile({ ...registrationSchema });
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
