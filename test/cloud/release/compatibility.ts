/**
 * What callers and operators rely on, one fact per line. Of callers: what the endpoints and their schemas say, for
 * each path. Of operators: the resources that a deployment must not replace, and the permissions of running versions.
 */
import { type ProblemCode, problems } from '../../../core/problems.ts';
import type { EndpointDocument } from '../../../functions/endpoints/document.ts';
import { type EndpointId, endpoints } from '../../../functions/endpoints/table.ts';
import { type Endpoint, grantedActions, type HttpFunction } from '../../../functions/http/endpoint-definition.ts';
import { endpoint as notFound } from '../../../functions/not-found/endpoint.ts';
import { problemSchema, validationIssueSchema } from '../../../openapi/component-schemas.ts';
import { documents } from '../../../openapi/endpoint-documents.ts';
import { headerComponents, problemHeaders, successHeaders } from '../../../openapi/response-headers.ts';
import { problemCodesOf } from '../../../openapi/responses.ts';
import type { Template } from '../stack/templates.ts';

interface Schema extends Readonly<Record<string, unknown>> {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

type Direction = 'request' | 'response';

/** Keywords with lines of their own, and texts. All other keywords limit the values. */
const NO_LIMITS = ['type', 'title', 'description', 'examples', 'properties', 'required', 'items', 'anyOf'];

/** An endpoint with the schemas of its document. */
type DocumentedEndpoint = Endpoint & EndpointDocument;

const documentedEndpoints: readonly DocumentedEndpoint[] = Object.entries(endpoints).map(([id, endpoint]) => ({
  ...endpoint,
  ...documents[id as EndpointId],
}));

const NO_FIELDS: Schema = { type: 'object' };

const { errors, ...ofEveryError } = problemSchema.properties;
const errorSchema = {
  ...problemSchema,
  properties: { ...ofEveryError, errors: { ...errors, items: validationIssueSchema } },
};

/** The type of a value and its limits. A rule in code (`~refine`) is represented by its description. */
const typeOf = (schema: Schema): string => {
  const limits = Object.keys(schema).filter((keyword) => !NO_LIMITS.includes(keyword) && !keyword.startsWith('~'));
  return [
    schema.type ?? 'any type',
    ...limits.sort().map((keyword) => {
      const limit = schema[keyword];
      return `${keyword} ${typeof limit === 'string' ? limit : JSON.stringify(limit)}`;
    }),
    ...('~refine' in schema && schema.description ? [`(${schema.description})`] : []),
  ].join(' ');
};

const fieldLines = ({ properties = {}, required = [] }: Schema, place: string, direction: Direction): string[] => [
  // In a request a field that becomes required changes the object's line, in a response the field's own.
  ...(direction === 'request' ? [`${place} requires ${required.toSorted().join(', ') || 'nothing'}`] : []),
  ...Object.entries(properties).flatMap(([name, field]) => {
    const optional = direction === 'response' && !required.includes(name) ? 'optional ' : '';
    return schemaLines(field, `${place}.${name}`, direction, optional);
  }),
];

/** The lines of a value and of everything in it. @param schema JSON Schema, of typebox or written by hand */
const schemaLines = (schema: unknown, place: string, direction: Direction, optional = ''): string[] => {
  const all = (schema as Schema).anyOf ?? [schema as Schema];
  // An open enumeration has one line per known value: values may be added, but not removed.
  const isOpen = all.some(({ type, enum: values }) => type === 'string' && values === undefined);
  const alternatives = isOpen ? all.filter(({ enum: values }) => values === undefined) : all;
  const codes = isOpen ? all.flatMap(({ enum: values = [] }) => values) : [];
  const objects = alternatives.filter(({ type }) => type === 'object');
  const arrays = alternatives.filter(({ type }) => type === 'array');
  const variant = (index: number) => (objects.length > 1 ? ` (${index + 1} of ${objects.length})` : '');
  return [
    `${place} ${optional}${alternatives.map(typeOf).join(' or ')}`,
    ...codes.map((code) => `${place} value ${code}`),
    ...objects.flatMap((object, index) => fieldLines(object, place + variant(index), direction)),
    ...arrays.flatMap(({ items = {} }) => schemaLines(items, `${place}[]`, direction)),
  ];
};

const headerLines = (headers: object, place: string): string[] =>
  Object.entries(headers).flatMap(([name, reference]) => {
    const header = { ...headerComponents }[name] ?? reference;
    const { required, schema } = header as { readonly required?: boolean; readonly schema: unknown };
    return schemaLines(schema, `${place} header ${name}`, 'response', required ? '' : 'optional ');
  });

const requestLines = ({ scope, path, query, headers, body }: DocumentedEndpoint, name: string): string[] => [
  `${name} request scope ${scope ?? 'of any key'}`,
  ...Object.entries({ path, query, header: headers }).flatMap(([place, schema]) =>
    schemaLines(schema ?? NO_FIELDS, `${name} request.${place}`, 'request'),
  ),
  ...(body ? schemaLines(body, `${name} request.body`, 'request') : [`${name} request without a body`]),
];

const errorLines = (codes: readonly ProblemCode[], name: string): string[] =>
  codes.map((code) => `${name} ${problems[code].status} ${code}`);

const endpointLines = (endpoint: DocumentedEndpoint, name: string): string[] => [
  ...requestLines(endpoint, name),
  ...(endpoint.response
    ? schemaLines(endpoint.response, `${name} ${endpoint.successStatus} body`, 'response')
    : [`${name} ${endpoint.successStatus} without a body`]),
  ...headerLines(successHeaders(endpoint.responseHeaders), `${name} ${endpoint.successStatus}`),
  ...errorLines(problemCodesOf(endpoint), name),
];

const codesOfStatus = (status: number): ProblemCode[] =>
  (Object.keys(problems) as ProblemCode[]).filter((code) => problems[code].status === status);

/** The lines of the table of endpoints, unsorted. */
export const apiLines = (): string[] => [
  ...documentedEndpoints.flatMap((endpoint) =>
    endpoint.paths.flatMap((path) => endpointLines(endpoint, `${endpoint.method} ${path}`)),
  ),
  ...errorLines(['ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED'], 'any other request'),
  ...schemaLines(errorSchema, 'any error body', 'response'),
  ...[...new Set(Object.values(problems).map(({ status }) => status))].flatMap((status) =>
    headerLines(problemHeaders(status, codesOfStatus(status)), `any ${status}`),
  ),
];

/**
 * CloudFormation replaces a resource whose type or logical id changes. That would mean an empty table, a new log group,
 * another API address, an empty bucket, unconfirmed subscriptions, or a failed update, because the old alias or route
 * still has the name, or the old policy is attached. A policy whose description changes is replaced too.
 */
const KEPT = [
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Route',
  'AWS::DynamoDB::GlobalTable',
  'AWS::DynamoDB::Table',
  'AWS::IAM::ManagedPolicy',
  'AWS::Lambda::Alias',
  'AWS::Lambda::Function',
  'AWS::Logs::LogGroup',
  'AWS::S3::Bucket',
  'AWS::SNS::Topic',
];

/**
 * The actions of each function. All versions share its role: if an action is removed, the released version fails until
 * it is replaced.
 */
const actionLines = (): string[] =>
  Object.entries<HttpFunction>({ ...endpoints, 'not-found': notFound }).flatMap(([id, endpoint]) =>
    Object.entries(grantedActions(endpoint)).flatMap(([of, actions]) =>
      actions.map((action) => `${id}: ${of} ${action}`),
    ),
  );

/** The lines of a template and of the table of endpoints, unsorted. */
export const stackLines = ({ Resources }: Pick<Template, 'Resources'>): string[] => [
  ...Object.entries(Resources)
    .filter(([, { Type }]) => KEPT.includes(Type))
    .map(([id, { Type, Properties }]) =>
      [Type, id, ...(Type === 'AWS::IAM::ManagedPolicy' ? [Properties.Description] : [])].join(' '),
    ),
  ...actionLines(),
];
