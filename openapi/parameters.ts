import type { TObject } from 'typebox';
import type { EndpointDocument } from '../functions/endpoints/document.ts';
import { schemaInDocument } from './component-schemas.ts';
import type { Example } from './examples.ts';
import { isObject, type JsonObject } from './json.ts';

/** The places of parameters, each with the member of an example request that has their values. */
const MEMBERS = { path: 'path', query: 'query', header: 'headers' } as const;
type Place = keyof typeof MEMBERS;

const rank = ({ status }: Example): number => (status < 300 ? 0 : 1);

/** The examples that fill in a reader's form: successful requests first, no invalid ones. */
const formExamples = (shown: readonly Example[]): Example[] =>
  shown.filter(({ status }) => status !== 400).toSorted((one, other) => rank(one) - rank(other));

const buildExamples = (place: Place, name: string, shown: readonly Example[]): JsonObject => {
  const valueIn = ({ request }: Example): unknown => (request[MEMBERS[place]] as JsonObject | undefined)?.[name];
  const examples = formExamples(shown);
  const [first] = examples;
  // Postman and Bruno send every query parameter that has an example: only parameters of the first request have any.
  const isSent = place !== 'query' || (first && valueIn(first) !== undefined);
  return Object.fromEntries(
    examples
      .filter((example) => isSent && valueIn(example) !== undefined)
      .map((example) => [example.name, { summary: example.summary, value: valueIn(example) }]),
  );
};

const parametersIn = (place: Place, schema: TObject | undefined, shown: readonly Example[]): JsonObject[] =>
  Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = isObject(property) ? property : {};
    return {
      name,
      in: place,
      required: schema?.required?.includes(name) ?? false,
      description,
      schema: rest,
      examples: buildExamples(place, name, shown),
    };
  });

export const buildParameters = (document: EndpointDocument, shown: readonly Example[]): JsonObject[] =>
  (['path', 'query', 'header'] as const).flatMap((place) => parametersIn(place, document[MEMBERS[place]], shown));

export const buildRequestBody = ({ body }: EndpointDocument, shown: readonly Example[]): JsonObject | undefined =>
  body && {
    required: true,
    content: {
      'application/json': {
        schema: schemaInDocument(body),
        examples: Object.fromEntries(
          formExamples(shown).map(({ name, summary, request }) => [name, { summary, value: request.body }]),
        ),
      },
    },
  };
