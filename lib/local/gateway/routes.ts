import { type EndpointId, endpoints, fallback } from '../../../functions/endpoints.ts';
import { matchRoute } from '../../../functions/path-template.ts';

/** A route as API Gateway keeps it: what it answers to and the file that serves it. */
export interface Route {
  /** `GET /v1/vehicle/{registration}/insurance`, or `$default`. */
  readonly key: string;
  readonly entry: string;
  readonly method?: string;
  readonly template?: string;
}

/** A route and the path parameters that a request gave it, still encoded. */
export interface RouteMatch {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

const rows = Object.keys(endpoints) as EndpointId[];

/** Every route of the endpoint table. */
export const routes: readonly Route[] = rows.flatMap((id) => {
  const { method, paths, entry } = endpoints[id];
  return paths.map((template) => ({ key: `${method} ${template}`, method, template, entry }));
});

export const defaultRoute: Route = { key: fallback.route, entry: fallback.entry };

const variablesIn = (template: string): number => template.split('{').length;

/** As API Gateway chooses: a literal segment before a variable one, and `$default` when nothing fits. */
export const chooseRoute = (method: string, encodedPath: string): RouteMatch => {
  const matches = routes.flatMap((route) => {
    if (route.method !== method || route.template === undefined) return [];
    const parameters = matchRoute(route.template, encodedPath);
    return parameters ? [{ route, parameters, variables: variablesIn(route.template) }] : [];
  });
  const [best] = matches.sort((a, b) => a.variables - b.variables);
  return best ?? { route: defaultRoute, parameters: {} };
};
