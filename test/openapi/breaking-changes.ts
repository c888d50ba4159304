/** What consumers of an OpenAPI document rely on, and what a newer document breaks of it. */

type Node = Readonly<Record<string, unknown>>;

/** What one document holds for its consumers. Each entry has the words by which docs/changelog.md names it. */
interface Contract {
  /** What must stay: operations, statuses, headers, parameters, fields, values, names of schemas. */
  readonly promises: Set<string>;
  /**
   * What must not come: required inputs, and further types in responses. Each with the promise that it adds to: in an operation or a
   * field that is new as a whole it breaks nothing.
   */
  readonly demands: Map<string, string>;
  /** Components that requests hold: in them a required field is demanded, elsewhere it is promised. */
  readonly requested: Set<string>;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

const entriesOf = (node: unknown): [string, Node][] => Object.entries((node ?? {}) as Record<string, Node>);
const listOf = <Entry = Node>(node: unknown): readonly Entry[] =>
  (node === undefined ? [] : Array.isArray(node) ? node : [node]) as readonly Entry[];

/** @param known the `requested` of the document to compare with */
const contractOf = (document: Node, known?: Contract['requested']): Contract => {
  const promises = new Set<string>();
  const demands = new Map<string, string>();
  const requested = new Set<string>();
  const components = document.components as Readonly<Record<string, Readonly<Record<string, Node>>>>;

  const followed = (node: Node): Node => {
    const [, , kind = '', name = ''] = String(node.$ref ?? '').split('/');
    return components[kind]?.[name] ?? node;
  };

  const schema = (node: Node, name: string, isRequest: boolean): void => {
    if (typeof node.$ref === 'string') {
      const component = node.$ref.split('/').at(-1) ?? '';
      promises.add(`${name} ${component}`);
      if (isRequest) requested.add(component);
      return;
    }
    for (const type of listOf<string>(node.type)) {
      if (isRequest) promises.add(`${name} as ${type}`);
      else demands.set(`${name} as ${type}`, name);
    }
    for (const value of [...listOf<unknown>(node.enum), ...listOf<unknown>(node.const)])
      promises.add(`${name} ${value}`);
    const required = listOf<string>(node.required);
    for (const [field, inner] of entriesOf(node.properties)) {
      const place = `${name}/${field}`;
      promises.add(place);
      if (required.includes(field))
        isRequest ? demands.set(`${place} required`, name) : promises.add(`${place} required`);
      schema(inner, place, isRequest);
    }
    for (const items of listOf(node.items)) {
      promises.add(`${name}/*`);
      schema(items, `${name}/*`, isRequest);
    }
    for (const part of [node.allOf, node.anyOf, node.oneOf].flatMap((parts) => listOf(parts)))
      schema(part, name, isRequest);
  };

  const responses = (node: unknown, name: string): void => {
    for (const [status, reference] of entriesOf(node)) {
      const response = followed(reference);
      promises.add(`${name} ${status}`);
      for (const [header] of entriesOf(response.headers)) promises.add(`${name} ${status} header ${header}`);
      for (const [, { schema: body }] of entriesOf(response.content)) schema(body as Node, `${name} ${status}`, false);
    }
  };

  const operation = (node: Node, name: string): void => {
    promises.add(name);
    for (const parameter of listOf(node.parameters)) {
      const place = `${name} ${parameter.in} ${parameter.name}`;
      promises.add(place);
      if (parameter.required) demands.set(`${place} required`, name);
      schema(parameter.schema as Node, place, true);
    }
    if (node.requestBody) {
      promises.add(`${name} body`);
      if ((node.requestBody as Node).required) demands.set(`${name} body required`, name);
      for (const [, { schema: body }] of entriesOf((node.requestBody as Node).content))
        schema(body as Node, `${name} body`, true);
    }
    responses(node.responses, name);
  };

  for (const [path, item] of entriesOf(document.paths)) {
    const servers = listOf<{ readonly url: string }>(item.servers ?? document.servers);
    const bases = new Set(servers.map(({ url }) => url.replace(/^[a-z]+:\/\/[^/]+|\/$/g, '')));
    for (const base of bases) {
      for (const method of METHODS.filter((each) => item[each] !== undefined)) {
        operation(item[method] as Node, `${method.toUpperCase()} ${base}${path}`);
      }
    }
  }
  responses((document['x-other-requests'] as Node).responses, 'other requests');
  // A set grows while it is read: what the components of requests refer to is a request too.
  const inputs = known ?? requested;
  for (const name of inputs) schema(components.schemas?.[name] ?? {}, name, true);
  for (const [name, node] of entriesOf(components.schemas)) {
    promises.add(name);
    if (!inputs.has(name)) schema(node, name, false);
  }
  return { promises, demands, requested };
};

/** What a client of the released document can trip over today; of what is gone only the outermost. */
export const breakingChanges = (released: unknown, current: unknown): string[] => {
  const before = contractOf(released as Node);
  const now = contractOf(current as Node, before.requested);
  const gone = [...before.promises].filter((promise) => !now.promises.has(promise));
  const isWithin = (inner: string, outer: string) => inner.startsWith(`${outer} `) || inner.startsWith(`${outer}/`);
  const demanded = [...now.demands]
    .filter(([demand, place]) => !before.demands.has(demand) && before.promises.has(place))
    .map(([demand]) => demand);
  return [...gone.filter((each) => !gone.some((outer) => isWithin(each, outer))), ...demanded];
};

/**
 * Those that the changelog's newest section does not name, in backquotes, on a line that begins with `- Breaking:`. There `* 413`
 * names the status 413 of every operation.
 */
export const unnamed = (changes: readonly string[], changelog: string): string[] => {
  const [, newest = ''] = changelog.split(/^## /m);
  const lines = newest.split(/^- /m).filter((line) => line.startsWith('Breaking:'));
  const names = lines.flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  const isNamed = (change: string) =>
    names.some((name) => name === change || (name.startsWith('* ') && change.endsWith(name.slice(1))));
  return changes.filter((change) => !isNamed(change));
};
