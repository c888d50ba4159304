/** Parameters and request bodies of an endpoint. */
import type { TObject } from 'typebox';
import type { Endpoint } from '../../functions/endpoints.ts';
import { schemaInDocument } from './component-schemas.ts';
import type { Example, ExampleRequest } from './examples/example.ts';
import { isObject, type JsonObject, present } from './json.ts';

type Place = 'path' | 'query' | 'header';

/** Where an example keeps the parameters of a place. */
const valuesIn = ({ path, query, headers }: ExampleRequest, place: Place): JsonObject =>
  ({ path, query, header: headers })[place] ?? {};

/** An invalid request is told by its summary and answer; a reader who fills the form should get a good one. */
const isSound = ({ status }: Example): boolean => status !== 400;

/** A form starts with the first example of each parameter; one that the first request leaves out starts empty. */
const examplesOf = (place: Place, name: string, shown: readonly Example[]): JsonObject | undefined => {
  const sound = shown.filter(isSound);
  const holding = sound.filter(({ request }) => Object.hasOwn(valuesIn(request, place), name));
  if (holding.length === 0 || holding[0] !== sound[0]) return undefined;
  return Object.fromEntries(
    holding.map(({ name: example, summary, request }) => [example, { summary, value: valuesIn(request, place)[name] }]),
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

/** Everything that an endpoint reads beside key and body. */
export const parametersOf = ({ path, query, headers }: Endpoint, shown: readonly Example[]): JsonObject[] => [
  ...parametersIn('path', path, shown),
  ...parametersIn('query', query, shown),
  ...parametersIn('header', headers, shown),
];

/** The body that an endpoint takes, if it takes one. */
export const requestBodyOf = ({ body }: Endpoint, shown: readonly Example[]): JsonObject | undefined =>
  body && {
    required: true,
    content: {
      'application/json': {
        schema: schemaInDocument(body),
        examples: Object.fromEntries(
          shown.filter(isSound).map(({ name, summary, request }) => [name, { summary, value: request.body }]),
        ),
      },
    },
  };
