import { methodNotAllowed, routeNotFound } from '../../core/problems.ts';
import { signingFromEnvironment } from '../../core/runtime/environment.ts';
import { matchRoute } from '../endpoints/match-route.ts';
import { endpoints } from '../endpoints/table.ts';
import { serveOtherPaths } from '../http/stack.ts';
import { endpoint as jwks } from '../jwks/endpoint.ts';
import { endpoint } from './endpoint.ts';

const methodsAt = (path: string): string[] =>
  [...Object.values(endpoints), ...(signingFromEnvironment() ? [jwks] : [])]
    .filter(({ paths }) => paths.some((template) => matchRoute(template, path) !== undefined))
    .map(({ method }) => method);

/**
 * Whether the path would have an endpoint if a parameter could contain a slash: at neither end, because an empty value
 * or a trailing slash is another mistake.
 */
const hasSlashInValue = (path: string): boolean =>
  Object.values(endpoints)
    .flatMap(({ paths }): readonly string[] => paths)
    .some((template) => {
      const [before = '', after] = template.split(/\{\w+\}/);
      if (after === undefined || !path.startsWith(before) || !path.endsWith(after)) return false;
      return path.slice(before.length + 1, path.length - after.length - 1).includes('/');
    });

const hintFor = (path: string): string | undefined => {
  if (path.endsWith('/') && methodsAt(path.slice(0, -1)).length > 0) return 'remove the trailing slash';
  if (hasSlashInValue(path)) return 'send a slash within a value as %2F';
  return /^(\/v1)?\/api\/|^\/v1\//.test(path) ? undefined : 'paths begin with /v1';
};

/** Rejects unknown paths with 404, other methods of known paths with 405 (docs/contract.md#addresses-and-versions). */
export const handler = serveOtherPaths(endpoint, async ({ method, path }) => {
  const allowed = methodsAt(path);
  // A path that matches only after decoding, such as /v1/api%2Fcontent, has no route for any method.
  if (allowed.length === 0 || allowed.includes(method)) throw routeNotFound(hintFor(path));
  throw methodNotAllowed(allowed);
});
