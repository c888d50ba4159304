/** What imports, generators and typed clients need of the document; `npm run test:clients` generates some of them. */
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
  it('has no number as a `const`: openapi-python-client drops the response', () => {
    expect([...nodesOf(document)].filter((node) => typeof node.const === 'number')).toEqual([]);
  });

  it('has no description of a server variable: swagger-parser rejects the document', () => {
    const variables = [...nodesOf(document)].flatMap(({ variables: each }) =>
      isNode(each) ? Object.values(each) : [],
    );
    expect(variables.length).toBeGreaterThan(0);
    for (const variable of variables) expect(Object.keys(variable as Node)).toEqual(['default']);
  });

  it('allows additional fields in every object of a response, and none in request bodies, where they are misspelt', () => {
    expect(objectSchemas(answers).length).toBeGreaterThan(8);
    expect(answers.filter(({ additionalProperties }) => additionalProperties === false)).toEqual([]);
    const sent = objectSchemas([...nodesOf(bodies)]);
    const titles = ['BulkComplianceRequest', 'BulkRequest', 'CreateContent', 'UpdateContent'];
    expect(sent.map(({ title }) => title).sort()).toEqual(titles);
    expect(sent.filter(({ additionalProperties }) => additionalProperties !== false)).toEqual([]);
  });

  it('allows unknown values for every code in a response', () => {
    const isCodes = ({ enum: values }: Node) =>
      Array.isArray(values) && values.some((code) => typeof code === 'string');
    const open = answers.flatMap(({ anyOf }): unknown[] =>
      Array.isArray(anyOf) && anyOf.some((other) => JSON.stringify(other) === '{"type":"string"}') ? anyOf : [],
    );
    const codes = answers.filter(isCodes);
    expect(codes.length).toBeGreaterThan(8);
    expect(codes.filter((node) => !open.includes(node))).toEqual([]);
  });
});

describe('For a first request from an import', () => {
  const firstValue = ({ examples = {} }: Node) => Object.values(examples as Readonly<Record<string, Node>>)[0]?.value;

  it('the first server is the absolute URL of `npm start`', () => {
    expect(document.servers).toMatchObject([{ url: 'http://localhost:3000/v1' }, {}]);
  });

  it('every parameter and body has an example that is not falsy: openapi-to-postmanv2 would send its summary', () => {
    expect([parameters.length > 10, bodies.length > 2]).toEqual([true, true]);
    for (const described of [...parameters, ...bodies]) expect(firstValue(described)).toBeTruthy();
  });

  it('the example of If-Match works every time', () => {
    expect(parameters.filter(({ name }) => name === 'If-Match').map(firstValue)).toEqual(['*', '*']);
  });
});

it('For a typed client every error is a problem document with one literal status, and the codes of that status', () => {
  const errors = operations.flatMap(({ responses }) =>
    Object.entries(responses).filter(([status]) => Number(status) >= 400),
  );
  expect(errors.length).toBeGreaterThan(40);
  for (const [status, response] of errors) {
    const { content } = (typeof response.$ref === 'string' ? followed(response.$ref) : response) as Node;
    const properties = {
      status: { enum: [Number(status)] },
      code: expect.objectContaining({ anyOf: expect.any(Array) }),
    };
    const narrowing = { type: 'object', required: ['status', 'code'], properties };
    const schema = expect.objectContaining({ allOf: expect.arrayContaining([narrowing]) });
    expect(content).toEqual({ 'application/problem+json': expect.objectContaining({ schema }) });
  }
});

it('A response of API Gateway itself is described outside the operations, as a message', () => {
  const { responses } = document['x-platform-responses'] as { readonly responses: Readonly<Record<string, Node>> };
  expect(Object.keys(responses)).toEqual(['400', '413', '429', '500', '503']);
  for (const { content } of Object.values(responses)) {
    expect(content).toMatchObject({ 'application/json': { schema: { required: ['message'] } } });
  }
});
