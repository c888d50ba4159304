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
  readonly operationId: string;
  readonly description: string;
  readonly 'x-problem-codes': readonly string[];
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

  it('has one schema for every error, and lists the codes of each operation', () => {
    const errors = answers.filter((node) => isNode(node['application/problem+json']));
    expect(errors.length).toBeGreaterThan(20);
    for (const error of errors)
      expect(error).toMatchObject({ 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } });
    for (const { description, 'x-problem-codes': codes } of operations) {
      expect(codes).toEqual(expect.arrayContaining(['UNAUTHORIZED', 'RATE_LIMITED', 'INTERNAL_ERROR']));
      for (const code of codes) expect(description).toContain(`\`${code}\``);
    }
  });

  it('allows additional fields in every object of a response, and none in request bodies, where they are misspelt', () => {
    expect(objectSchemas(answers).length).toBeGreaterThan(8);
    expect(answers.filter(({ additionalProperties }) => additionalProperties === false)).toEqual([]);
    const sent = objectSchemas([...nodesOf(bodies)]);
    const titles = ['BulkComplianceRequest', 'BulkRequest', 'CreateContent', 'UpdateContent'];
    expect(sent.map(({ title }) => title).sort()).toEqual(titles);
    expect(sent.filter(({ additionalProperties }) => additionalProperties !== false)).toEqual([]);
  });

  it('allows unknown values for every code in a response, and describes the known ones', () => {
    const codes = answers.filter(({ description }) => String(description).includes('Extensible enum:'));
    expect(codes.length).toBeGreaterThan(8);
    for (const { type, enum: values, examples, description } of codes) {
      expect({ type, values }).toEqual({ type: 'string', values: undefined });
      for (const code of examples as readonly string[]) expect(description).toContain(`- \`${code}\`: `);
    }
  });
});

describe('For a first request from an import', () => {
  const firstValue = ({ examples = {} }: Node) => Object.values(examples as Readonly<Record<string, Node>>)[0]?.value;

  it('`date`, and `slug` and `after` beside `offset`, have no example, because Postman and Bruno send what has one', () => {
    const without = parameters.filter((parameter) => firstValue(parameter) === undefined);
    expect(without.map(({ name }) => name)).toEqual(['date', 'slug', 'after']);
  });

  it('every other parameter, body and response has an example that is not falsy: openapi-to-postmanv2 would send its summary', () => {
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
