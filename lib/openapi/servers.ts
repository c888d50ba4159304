/** Where the service answers: contract.md "Addresses and versions". */
import type { Endpoint } from '../../functions/endpoints.ts';
import type { JsonObject } from './json.ts';

/** The version that every documented path is relative to. */
const BASE = '/v1';

/** The path of a row as the document writes it, relative to the base address. */
export const pathInDocument = ({ paths: [first] }: Endpoint): string => first.slice(BASE.length);

const DEPLOYED = 'https://{api}.execute-api.{region}.amazonaws.com';

const variables = {
  api: { default: 'abcde12345', description: 'Id of the deployed API, from the output of the deployment' },
  region: { default: 'eu-west-2', description: 'AWS region' },
} as const;

/** Every address at which a row answers: its base, on this origin and on a deployed one. */
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
      description: `A deployed service${base ? '' : ', unversioned'}`,
      variables,
    })),
  ];
};
