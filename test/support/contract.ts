/** Validates every response of the suite against both OpenAPI documents, the strict and the published one. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { matchRoute } from '../../functions/endpoints/match-route.ts';
import { endpoints } from '../../functions/endpoints/table.ts';
import type { Endpoint } from '../../functions/http/endpoint-definition.ts';
import { isObject, type JsonObject } from '../../openapi/json.ts';
import { openApiDocument } from '../../openapi/published-document.ts';
import { pathInDocument, strictDocument } from '../../openapi/strict-document.ts';
import type { Reply, SendCall } from './send.ts';

interface Response {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean; readonly schema: JsonObject }>>;
  readonly content?: Readonly<Record<string, { readonly schema: JsonObject }>>;
}
type Responses = Readonly<Record<string, Response>>;
interface Operation {
  readonly responses: Responses;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
  /** For every other path and method. */
  readonly 'x-other-requests': { readonly responses: Responses };
  /** For responses that API Gateway gives by itself. */
  readonly 'x-platform-responses': { readonly responses: Responses };
}

/** The values that an open schema names (`openText`), or undefined for every other schema. */
const knownCodes = ({ anyOf }: JsonObject): unknown => {
  const [known, other, ...more] = Array.isArray(anyOf) ? anyOf : [];
  return more.length === 0 && JSON.stringify(other) === '{"type":"string"}' ? known.enum : undefined;
};

/**
 * The document as strict as the service is, with references to responses and headers followed; the validator follows
 * those to schemas. Clients must accept new fields and codes, so both forms of the document are open; the tests accept
 * only what is described. Parts of an `allOf` describe one object together: none closes it alone.
 */
const closedForm = (form: JsonObject): Document => {
  const closed = (value: unknown, isPartOfAllOf = false): unknown => {
    if (Array.isArray(value)) return value.map((entry) => closed(entry, isPartOfAllOf));
    if (!isObject(value)) return value;
    const [, kind, name] = /^#\/components\/(responses|headers)\/(.+)$/.exec(String(value.$ref)) ?? [];
    if (kind && name) return closed((form.components as Record<string, JsonObject>)[kind]?.[name]);
    const codes = knownCodes(value);
    if (codes) return { enum: codes };
    const entries = Object.entries(value).map(([key, entry]) => [key, closed(entry, key === 'allOf')]);
    const inner = Object.fromEntries(entries);
    return isObject(value.properties) && !isPartOfAllOf ? { ...inner, additionalProperties: false } : inner;
  };
  return closed(form) as Document;
};

/** Generated clients read the published form, which is made from the strict one: what fits that must fit this. */
const forms = [strictDocument(), openApiDocument()].map(closedForm);
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const validators = new WeakMap<object, ValidateFunction>();

const validatorOf = (schema: object, components: object): ValidateFunction => {
  const validator = validators.get(schema) ?? ajv.compile({ ...schema, components });
  validators.set(schema, validator);
  return validator;
};

/** Text in the type that its schema asks for. */
const typed = (schema: JsonObject, text: string): unknown =>
  schema.type === 'integer' && /^\d+$/.test(text) ? Number(text) : text;

/** Headers of the connection rather than of the response. */
const TRANSPORT = 'connection content-encoding content-length content-type date keep-alive transfer-encoding'.split(
  ' ',
);

/** The operation of a request; undefined when none is described. */
const describedOperation = ({ paths }: Document, method: string, pathname: string): Operation | undefined => {
  const endpoint = Object.values<Endpoint>(endpoints).find(
    (each) => each.method === method && each.paths.some((template) => matchRoute(template, pathname) !== undefined),
  );
  return endpoint && paths[pathInDocument(endpoint)]?.[method.toLowerCase()];
};

/** @throws Error that says what differs from this form of the document */
const requireForm = (form: Document, method: string, url: URL, reply: Reply): void => {
  const { status, headers: responseHeaders, text: responseText } = reply;

  function require(holds: unknown, what: string): asserts holds {
    if (holds) return;
    throw new Error(`${method} ${url.pathname}${url.search} → ${status} breaks the OpenAPI document: ${what}`);
  }
  const requireFit = (schema: object, value: unknown, what: string): void => {
    const fits = validatorOf(schema, form.components);
    require(fits(value), `${what}: ${ajv.errorsText(fits.errors)}`);
  };

  const checkHeaders = ({ headers: described = {} }: Response): void => {
    for (const [name, { required, schema }] of Object.entries(described)) {
      const sent = responseHeaders.get(name);
      require(sent !== null || required !== true, `header ${name} is missing`);
      if (sent !== null) requireFit(schema, typed(schema, sent), `header ${name}`);
    }
    const known = [...TRANSPORT, ...Object.keys(described).map((name) => name.toLowerCase())];
    const unknown = [...responseHeaders.keys()].filter((name) => !known.includes(name));
    require(unknown.length === 0, `headers ${unknown.join(', ')} are not described`);
  };

  const checkBody = ({ content }: Response): void => {
    const type = responseHeaders.get('content-type');
    if (content === undefined) {
      require(responseText === '' && type === null, 'no body is described');
      return;
    }
    const described = content[type ?? ''];
    require(described, `Content-Type ${type} is not described`);
    // The response to HEAD has no body, whatever its headers say.
    if (method === 'HEAD') return;
    requireFit(described.schema, JSON.parse(responseText), 'body');
  };

  const { responses } = describedOperation(form, method, url.pathname) ?? form['x-other-requests'];
  const response = responses[status] ?? form['x-platform-responses'].responses[status];
  require(response, 'this status is not described');
  checkHeaders(response);
  checkBody(response);
};

/** The same calls, whose responses are checked. They throw an Error when one is not as the document describes it. */
export const byContract =
  (origin: string, call: SendCall): SendCall =>
  async (method, path, sent) => {
    const reply = await call(method, path, sent);
    for (const form of forms) requireForm(form, method, new URL(origin + path), reply);
    return reply;
  };
