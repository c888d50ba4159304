import { describe, expect, it } from '@jest/globals';
import { openApiDocument } from '../../lib/openapi/document.ts';

interface WithExamples {
  readonly name?: string;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<
    Record<string, { readonly schema: { readonly allOf?: readonly unknown[]; readonly required?: unknown } }>
  >;
}

interface Operation {
  readonly parameters?: readonly WithExamples[];
  readonly requestBody?: { readonly content: { readonly 'application/json': WithExamples } };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
  readonly 'x-platform-responses': { readonly responses: Readonly<Record<string, Response>> };
}

const document = openApiDocument() as unknown as Document;
const operations = Object.values(document.paths).flatMap((item) =>
  ['get', 'post', 'put', 'delete'].flatMap((method) => item[method] ?? []),
);

const firstValue = ({ examples = {} }: WithExamples): unknown => Object.values(examples)[0]?.value;

describe('For a first request from an import', () => {
  const parameters = operations.flatMap((operation) => operation.parameters ?? []);
  const bodies = operations.flatMap(({ requestBody }) => requestBody?.content['application/json'] ?? []);

  it('the first server is the absolute URL of `npm start`', () => {
    expect(document.servers[0]?.url).toBe('http://localhost:3000/v1');
  });

  it('every parameter and body has an example', () => {
    expect(parameters.length).toBeGreaterThan(10);
    expect(bodies.length).toBeGreaterThan(2);
    for (const described of [...parameters, ...bodies]) expect(firstValue(described)).toBeDefined();
  });

  it('no example of a parameter is falsy: openapi-to-postmanv2 would send its summary', () => {
    for (const parameter of parameters) expect(firstValue(parameter)).toBeTruthy();
  });

  it('the example of If-Match works every time', () => {
    const conditions = parameters.filter(({ name }) => name === 'If-Match');
    expect(conditions.map(firstValue)).toEqual(['*', '*']);
  });
});

describe('For a typed client every error of an operation', () => {
  const named = (ref: string) => document.components.responses[ref.split('/').at(-1) ?? ''];
  const errors = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, response]) =>
      Number(status) < 400
        ? []
        : { status: Number(status), content: (response.$ref ? named(response.$ref) : response)?.content },
    ),
  );

  it('is a problem document', () => {
    expect(errors.length).toBeGreaterThan(40);
    for (const { content = {} } of errors) expect(Object.keys(content)).toEqual(['application/problem+json']);
  });

  it('has one literal status, and the codes of that status', () => {
    for (const { status, content } of errors) {
      expect(content?.['application/problem+json']?.schema.allOf).toContainEqual({
        type: 'object',
        required: ['status', 'code'],
        properties: { status: { enum: [status] }, code: expect.objectContaining({ anyOf: expect.any(Array) }) },
      });
    }
  });
});

describe('A response of API Gateway itself', () => {
  it('is described outside the operations, as a message', () => {
    const { responses } = document['x-platform-responses'];
    expect(Object.keys(responses)).toEqual(['400', '413', '429', '500', '503']);
    for (const { content } of Object.values(responses)) {
      expect(content?.['application/json']?.schema.required).toEqual(['message']);
    }
  });
});
