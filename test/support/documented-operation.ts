/** Reads operations and responses out of the OpenAPI document, with references followed. */
import { endpoints } from '../../functions/endpoints/table.ts';
import type { Endpoint } from '../../functions/http/endpoint.ts';
import { matchRoute } from '../../functions/http/path-template.ts';
import { pathInDocument } from '../../lib/openapi/strict-document.ts';

type Node = Readonly<Record<string, unknown>>;

interface Schema {
  readonly type?: unknown;
}

export interface DocumentedResponse {
  readonly headers: Readonly<Record<string, { readonly required?: boolean; readonly schema: Schema }>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

type Responses = Readonly<Record<string, DocumentedResponse>>;

export interface Operation {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Schema;
  readonly responses: Responses;
}

const at = (node: unknown, ...steps: readonly string[]): unknown =>
  steps.reduce<unknown>((inner, step) => (inner as Node | undefined)?.[step], node);

/** Follows a reference into the document's components; schemas keep theirs for the validator. */
const followed = (document: Node, node: unknown): Node => {
  const ref = at(node, '$ref');
  return (typeof ref === 'string' ? at(document, ...ref.split('/').slice(1)) : node) as Node;
};

const mapValues = (node: unknown, map: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries((node ?? {}) as Node).map(([name, value]) => [name, map(value)]));

const responsesIn = (document: Node, responses: unknown): Responses =>
  mapValues(responses, (each) => {
    const response = followed(document, each);
    return { ...response, headers: mapValues(response.headers, (header) => followed(document, header)) };
  }) as unknown as Responses;

const read = new WeakMap<object, Operation>();

const operationIn = (document: Node, operation: Node): Operation => {
  const known = read.get(operation);
  if (known) return known;
  const requestBody = at(operation, 'requestBody', 'content', 'application/json', 'schema') as Schema | undefined;
  const made = {
    parameters: (operation.parameters ?? []) as Operation['parameters'],
    ...(requestBody && { requestBody }),
    responses: responsesIn(document, operation.responses),
  };
  read.set(operation, made);
  return made;
};

/** The operation of a request, with its path parameters still encoded; undefined when none is described. */
export const describedOperation = (document: Node, method: string, pathname: string) => {
  for (const row of Object.values<Endpoint>(endpoints).filter((each) => each.method === method)) {
    const path = row.paths.map((template) => matchRoute(template, pathname)).find((found) => found !== undefined);
    const operation = at(document, 'paths', pathInDocument(row), method.toLowerCase());
    if (path) return { operation: operationIn(document, operation as Node), path };
  }
  return undefined;
};

/** For every other path and method. */
export const otherResponses = (document: Node): Responses =>
  responsesIn(document, at(document, 'x-other-requests', 'responses'));

/** For responses that API Gateway gives by itself. */
export const platformResponses = (document: Node): Responses =>
  responsesIn(document, at(document, 'x-platform-responses', 'responses'));
