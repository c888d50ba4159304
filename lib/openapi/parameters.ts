/** The parameters and the request body of an operation. */
import type { TObject } from 'typebox';
import { dateQuery, type EndpointDocument } from '../../functions/endpoints/document.ts';
import type { Endpoint } from '../../functions/http/endpoint.ts';
import { schemaInDocument } from './component-schemas.ts';
import type { Example } from './examples.ts';
import { isObject, type JsonObject, present } from './json.ts';

type Place = 'path' | 'query' | 'header';

const valuesIn = ({ path, query, headers }: Example['request'], place: Place): JsonObject =>
  ({ path, query, header: headers })[place] ?? {};

/** The examples that fill in a reader's form: successful requests first, no invalid ones. */
const requestExamples = (shown: readonly Example[]): Example[] =>
  shown.filter(({ status }) => status !== 400).toSorted((one, other) => rank(one) - rank(other));

const rank = ({ status }: Example): number => (status < 300 ? 0 : 1);

/** Postman and Bruno send every query parameter that has an example: only parameters of the first request have any. */
const buildExamples = (place: Place, name: string, shown: readonly Example[]): JsonObject => {
  const [first, ...others] = requestExamples(shown);
  if (first === undefined || (place === 'query' && !Object.hasOwn(valuesIn(first.request, place), name))) return {};
  return Object.fromEntries(
    [first, ...others]
      .filter(({ request }) => Object.hasOwn(valuesIn(request, place), name))
      .map(({ name: example, summary, request }) => [example, { summary, value: valuesIn(request, place)[name] }]),
  );
};

const parametersIn = (place: Place, schema: TObject | undefined, shown: readonly Example[]): JsonObject[] =>
  Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = isObject(property) ? property : {};
    const isRequired = schema?.required?.includes(name) ?? false;
    return present({
      name,
      in: place,
      required: isRequired,
      description,
      schema: rest,
      examples: buildExamples(place, name, shown),
    });
  });

/** The path, query and header parameters of an endpoint. */
export const buildParameters = (
  { date }: Pick<Endpoint, 'date'>,
  { path, query, headers }: EndpointDocument,
  shown: readonly Example[],
): JsonObject[] => [
  ...parametersIn('path', path, shown),
  ...(date === 'accepted' ? parametersIn('query', dateQuery, shown) : []),
  ...parametersIn('query', query, shown),
  ...parametersIn('header', headers, shown),
];

/** The request body of an endpoint, if it takes one. */
export const buildRequestBody = ({ body }: EndpointDocument, shown: readonly Example[]): JsonObject | undefined =>
  body && {
    required: true,
    content: {
      'application/json': {
        schema: schemaInDocument(body),
        examples: Object.fromEntries(
          requestExamples(shown).map(({ name, summary, request }) => [name, { summary, value: request.body }]),
        ),
      },
    },
  };
