/** What imports, generators and typed clients need of the document; `test/outside/generated-clients` generates some. */
import { describe, expect, it } from '@jest/globals';
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

describe('For a first request from an import', () => {
  const firstValue = ({ examples = {} }: Node) => Object.values(examples as Readonly<Record<string, Node>>)[0]?.value;

  // Postman and Bruno send every parameter that has an example, and openapi-to-postmanv2 the summary of a falsy one.
  it('every parameter but `date`, `slug` and `after`, body and response has an example that is not falsy', () => {
    const responses = [...nodesOf(operations.map((operation) => operation.responses))].flatMap((node) =>
      [node['application/json'], node['application/problem+json']].filter(isNode),
    );
    expect(parameters.length).toBeGreaterThan(10);
    expect(bodies.length).toBeGreaterThan(2);
    expect(responses.length).toBeGreaterThan(20);
    const others = parameters.filter(({ name }) => !['date', 'slug', 'after'].includes(String(name)));
    for (const described of [...others, ...bodies, ...responses]) expect(firstValue(described)).toBeTruthy();
  });
});
