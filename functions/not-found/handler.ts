import { methodNotAllowed, routeNotFound } from '../../core/problems.ts';
import { matchRoute } from '../endpoints/match-route.ts';
import { endpoints } from '../endpoints/table.ts';
import { apiChain } from '../http/api-chain.ts';
import { auth } from '../http/auth.ts';
import { endpoint } from './endpoint.ts';

const methodsAt = (path: string): string[] =>
  Object.values(endpoints)
    .filter(({ paths }) => paths.some((template) => matchRoute(template, path) !== undefined))
    .map(({ method }) => method);

/** Rejects unknown paths with 404, other methods of known paths with 405 (docs/contract.md#addresses-and-versions). */
export const handler = apiChain(endpoint)
  .use(auth(endpoint))
  .handler((_event, { method, path }) => {
    const allowed = methodsAt(path);
    // A path that matches only after decoding, such as /v1/api%2Fcontent, has no route for any method.
    if (allowed.length === 0 || allowed.includes(method)) throw routeNotFound();
    throw methodNotAllowed(allowed);
  });
