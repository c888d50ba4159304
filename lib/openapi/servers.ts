/** The addresses of the service: contract.md "Addresses and versions". */
import type { Endpoint } from '../../functions/endpoints.ts';
import type { JsonObject } from './json.ts';

/** The version that every documented path is relative to. */
const BASE = '/v1';

/** The path of a row as the document writes it, relative to the base address. */
export const pathInDocument = ({ paths: [first] }: Endpoint): string => first.slice(BASE.length);

const DEPLOYED = 'https://{api}.execute-api.{region}.amazonaws.com';

/** Without descriptions: the schema of OpenAPI 3.1 that swagger-parser validates with rejects them. */
const variables = {
  api: { default: 'abcde12345' },
  region: { default: 'eu-west-2' },
} as const;

/** The base addresses of a row: on the origin of the document, and on a deployed service. */
export const serversOf = (row: Pick<Endpoint, 'paths'>): JsonObject[] => {
  const relative = pathInDocument(row as Endpoint);
  const bases = row.paths.map((path) => path.slice(0, path.length - relative.length));
  return [
    ...bases.map((base) => ({
      url: base || '/',
      description: `The service that serves this document${base ? '' : ', unversioned'}`,
    })),
    ...bases.map((base) => ({
      url: DEPLOYED + base,
      description: `A deployed service${base ? '' : ', unversioned'}; its deployment prints the id of the API`,
      variables,
    })),
  ];
};
