/** Reads operations and answers out of an OpenAPI document, with references followed. */
import { matchRoute } from '../../functions/path-template.ts';
import { LOCAL_ORIGIN } from '../../lib/openapi/document.ts';

type Node = Readonly<Record<string, unknown>>;

interface Schema {
  readonly type?: unknown;
}

export interface DocumentedAnswer {
  readonly headers: Readonly<Record<string, { readonly required?: boolean; readonly schema: Schema }>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

type Answers = Readonly<Record<string, DocumentedAnswer>>;

export interface Operation {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Schema;
  readonly answers: Answers;
}

const at = (node: unknown, ...steps: readonly string[]): unknown =>
  steps.reduce<unknown>((inner, step) => (inner as Node | undefined)?.[step], node);

/** Follows a reference into the document's components; schemas keep theirs for the validator. */
const followed = (document: Node, node: unknown): Node => {
  const ref = at(node, '$ref');
  return (typeof ref === 'string' ? at(document, ...ref.split('/').slice(1)) : node) as Node;
};

const answersIn = (document: Node, responses: unknown): Answers =>
  Object.fromEntries(
    Object.entries(responses as Node).map(([status, response]) => {
      const answer = followed(document, response);
      const headers = Object.entries((answer.headers ?? {}) as Node).map(([name, header]) => [
        name,
        followed(document, header),
      ]);
      return [status, { ...answer, headers: Object.fromEntries(headers) } as DocumentedAnswer];
    }),
  );

const read = new WeakMap<object, Operation>();

const operationIn = (document: Node, operation: Node): Operation => {
  const known = read.get(operation);
  if (known) return known;
  const requestBody = at(operation, 'requestBody', 'content', 'application/json', 'schema') as Schema | undefined;
  const made = {
    parameters: (operation.parameters ?? []) as Operation['parameters'],
    ...(requestBody && { requestBody }),
    answers: answersIn(document, operation.responses),
  };
  read.set(operation, made);
  return made;
};

/** The bases on this machine, of a path or of the whole document. */
const basesOf = (document: Node, item: Node): string[] =>
  ((item.servers ?? document.servers) as { url: string }[])
    .filter(({ url }) => url.startsWith(LOCAL_ORIGIN))
    .map(({ url }) => url.slice(LOCAL_ORIGIN.length));

/** The operation that a request asks for, with its path parameters still encoded; undefined when none is described. */
export const describedOperation = (document: Node, method: string, pathname: string) => {
  for (const [template, item] of Object.entries(document.paths as Record<string, Node>)) {
    const operation = item[method.toLowerCase()] as Node | undefined;
    if (operation === undefined) continue;
    for (const base of basesOf(document, item)) {
      const path = matchRoute(base + template, pathname);
      if (path) return { operation: operationIn(document, operation), path };
    }
  }
  return undefined;
};

/** What the document says of every other path and method. */
export const otherAnswers = (document: Node): Answers =>
  answersIn(document, at(document, 'x-other-requests', 'responses'));

/** What the document says of responses that API Gateway gives by itself. */
export const platformAnswers = (document: Node): Answers =>
  answersIn(document, at(document, 'x-platform-responses', 'responses'));
