import { signingFromEnvironment } from '../../../core/runtime/environment.ts';
import { type EndpointId, endpoints } from '../../../functions/endpoints/table.ts';
import { matchRoute } from '../../../functions/http/match-route.ts';
import { endpoint as jwks } from '../../../functions/jwks/endpoint.ts';
import { endpoint as notFound } from '../../../functions/not-found/endpoint.ts';
import type { FunctionId } from '../../endpoint-files.ts';

/** A route of the gateway: the requests that it matches and the function that serves them. */
export interface Route {
  /** `GET /v1/vehicle/{registration}/insurance`, or `$default`. */
  readonly key: string;
  readonly functionId: FunctionId;
}

/** A route and the path parameters of a request, still encoded. */
export interface RouteMatch {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

const rows = Object.keys(endpoints) as EndpointId[];

const routes = rows.flatMap((functionId) => {
  const { method, paths } = endpoints[functionId];
  return paths.map((template) => ({ key: `${method} ${template}`, method, template, functionId }));
});

const [jwksPath] = jwks.paths;
/** Where answers are signed. */
const jwksRoute = {
  key: `${jwks.method} ${jwksPath}`,
  method: jwks.method,
  template: jwksPath,
  functionId: jwks.id,
} as const;

export const defaultRoute: Route = { key: notFound.id, functionId: 'not-found' };

/** Chooses as API Gateway does; without a match, `$default`. No request matches two of our routes. */
export const chooseRoute = (method: string, encodedPath: string): RouteMatch => {
  for (const route of [...routes, ...(signingFromEnvironment() ? [jwksRoute] : [])]) {
    const parameters = route.method === method ? matchRoute(route.template, encodedPath) : undefined;
    if (parameters) return { route, parameters };
  }
  return { route: defaultRoute, parameters: {} };
};
