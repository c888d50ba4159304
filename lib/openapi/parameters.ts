/** Parameters and request bodies of an endpoint. */
import type { TObject } from 'typebox';
import { dateQuery, type Endpoint } from '../../functions/endpoints.ts';
import { schemaInDocument } from './component-schemas.ts';
import type { Example, ExampleRequest } from './examples/example.ts';
import { isObject, type JsonObject, present } from './json.ts';

type Place = 'path' | 'query' | 'header';

/** The values of an example's parameters. */
const valuesIn = ({ path, query, headers }: ExampleRequest, place: Place): JsonObject =>
  ({ path, query, header: headers })[place] ?? {};

/** Invalid requests are left out: a reader who fills in the form should start with one that works. */
const isValid = ({ status }: Example): boolean => status !== 400;

/** A form starts with the first example of each parameter, or empty when the first request does not have the parameter. */
const examplesOf = (place: Place, name: string, shown: readonly Example[]): JsonObject | undefined => {
  const valid = shown.filter(isValid);
  const withValue = valid.filter(({ request }) => Object.hasOwn(valuesIn(request, place), name));
  if (withValue.length === 0 || withValue[0] !== valid[0]) return undefined;
  return Object.fromEntries(
    withValue.map(({ name: example, summary, request }) => [
      example,
      { summary, value: valuesIn(request, place)[name] },
    ]),
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
      examples: examplesOf(place, name, shown),
    });
  });

/** The path, query and header parameters of an endpoint. */
export const parametersOf = ({ path, date, query, headers }: Endpoint, shown: readonly Example[]): JsonObject[] => [
  ...parametersIn('path', path, shown),
  ...(date === 'accepted' ? parametersIn('query', dateQuery, shown) : []),
  ...parametersIn('query', query, shown),
  ...parametersIn('header', headers, shown),
];

/** The request body of an endpoint, if it takes one. */
export const requestBodyOf = ({ body }: Endpoint, shown: readonly Example[]): JsonObject | undefined =>
  body && {
    required: true,
    content: {
      'application/json': {
        schema: schemaInDocument(body),
        examples: Object.fromEntries(
          shown.filter(isValid).map(({ name, summary, request }) => [name, { summary, value: request.body }]),
        ),
      },
    },
  };
