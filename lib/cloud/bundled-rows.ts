import type { Plugin } from 'esbuild';
import { type Endpoint, endpoints, fallback } from '../../functions/endpoints.ts';

/** What a function needs of a row at run time when it validates nothing against the row's schemas. */
const withoutSchemas = ({ method, paths, scope, successStatus, tables }: Endpoint) => ({
  method,
  paths,
  scope,
  successStatus,
  tables,
});

const rows = Object.fromEntries(Object.entries(endpoints).map(([id, row]) => [id, withoutSchemas(row)]));

const page = `export const endpoints = ${JSON.stringify(rows)}; export const fallback = ${JSON.stringify(fallback)};`;

/**
 * Bundles the endpoint table as plain data, without its schemas and the library that builds them: 15 kB and some
 * milliseconds of every cold start, which functions that take nothing but a path need not pay.
 */
export const rowsWithoutSchemas = (): Plugin => ({
  name: 'rows-without-schemas',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]functions[\\/]endpoints\.ts$/ }, () => ({ contents: page, loader: 'js' }));
  },
});

/** Whether a function checks requests against the schemas of its row. */
export const validatesInput = ({ query, headers, body }: Pick<Endpoint, 'query' | 'headers' | 'body'>): boolean =>
  query !== undefined || headers !== undefined || body !== undefined;
