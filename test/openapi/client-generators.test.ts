import { describe, expect, it } from '@jest/globals';
import { openApiDocument } from '../../lib/openapi/document.ts';

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

/** Everything under this key, in every operation. */
const inOperations = (key: 'responses' | 'requestBody'): Node[] => {
  const operations = Object.values(document.paths as Node).flatMap((item) => Object.values(item as Node));
  return [...nodesOf(operations.flatMap((operation) => (isNode(operation) ? operation[key] : undefined)))];
};

const answers = [...inOperations('responses'), ...nodesOf(document['x-other-requests'])];
const objectSchemas = (nodes: readonly Node[]) => nodes.filter(({ properties }) => isNode(properties));

/** Schemas that share an `anyOf` with `{ type: 'string' }`, so that any other string is valid too. */
const openedByString = new Set(
  answers.flatMap(({ anyOf }) =>
    Array.isArray(anyOf) && anyOf.some((other) => JSON.stringify(other) === '{"type":"string"}') ? anyOf : [],
  ),
);

describe('For generated clients the document', () => {
  it('has no number as a `const`: openapi-python-client drops the response', () => {
    expect([...nodesOf(document)].filter((node) => typeof node.const === 'number')).toEqual([]);
  });

  it('has no description of a server variable: swagger-parser rejects the document', () => {
    const variables = [...nodesOf(document)].flatMap((node) =>
      isNode(node.variables) ? Object.values(node.variables) : [],
    );
    expect(variables.length).toBeGreaterThan(0);
    for (const variable of variables) expect(Object.keys(variable as Node)).toEqual(['default']);
  });

  it('allows additional fields in every object of a response', () => {
    expect(objectSchemas(answers).length).toBeGreaterThan(8);
    expect(answers.filter(({ additionalProperties }) => additionalProperties === false)).toEqual([]);
  });

  it('allows unknown values for every code in a response', () => {
    const codes = answers.filter(
      (node) => Array.isArray(node.enum) && node.enum.some((code) => typeof code === 'string'),
    );
    expect(codes.length).toBeGreaterThan(8);
    expect(codes.filter((node) => !openedByString.has(node))).toEqual([]);
  });

  it('allows no additional fields in request bodies, so that a misspelt field is an error', () => {
    const objects = objectSchemas(inOperations('requestBody'));
    expect(objects.map(({ title }) => title).sort()).toEqual([
      'BulkComplianceRequest',
      'BulkRequest',
      'CreateContent',
      'UpdateContent',
    ]);
    for (const { additionalProperties } of objects) expect(additionalProperties).toBe(false);
  });
});
