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

/** In place of `functions/endpoints.ts`. */
const page = [
  `export const endpoints = ${JSON.stringify(rows)};`,
  `export const fallback = ${JSON.stringify(fallback)};`,
  'export const declaresInput = () => false;',
].join('\n');

/**
 * Bundles the endpoint table as plain data, without its schemas, the library that builds them and what validates by them:
 * 15 kB and some milliseconds of every cold start, which functions that take nothing but a path need not pay.
 */
export const rowsWithoutSchemas = (): Plugin => ({
  name: 'rows-without-schemas',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]functions[\\/]endpoints\.ts$/ }, () => ({ contents: page, loader: 'js' }));
    onLoad({ filter: /[\\/]functions[\\/]middleware[\\/]request-input\.ts$/ }, () => ({
      contents: 'export const inputMiddlewares = undefined;',
      loader: 'js',
    }));
  },
});
