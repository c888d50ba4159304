import type { FunctionId } from '../../functions/endpoints/endpoint-files.ts';
import { matchRoute } from '../../functions/endpoints/match-route.ts';
import { endpoints } from '../../functions/endpoints/table.ts';
import { endpoint as notFound } from '../../functions/not-found/endpoint.ts';

interface Route {
  /** `GET /v1/vehicle/{registration}/insurance`, or `$default`. */
  readonly key: string;
  readonly functionId: FunctionId;
}

/** A route and the path parameters of a request, still encoded. */
export interface RouteMatch {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

const routes = Object.values(endpoints).flatMap(({ id, method, paths }) =>
  paths.map((template) => ({ key: `${method} ${template}`, method, template, functionId: id })),
);

export const defaultRoute: Route = { key: notFound.id, functionId: 'not-found' };

/** The route that API Gateway would choose; `$default` when none matches. No request matches two of our routes. */
export const chooseRoute = (method: string, encodedPath: string): RouteMatch => {
  for (const route of routes) {
    const parameters = route.method === method ? matchRoute(route.template, encodedPath) : undefined;
    if (parameters) return { route, parameters };
  }
  return { route: defaultRoute, parameters: {} };
};
