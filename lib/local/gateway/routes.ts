import { type EndpointId, endpoints, fallback } from '../../../functions/endpoints.ts';
import { matchRoute } from '../../../functions/http/path-template.ts';

/** A route of the gateway: the requests that it matches and the file with their handler. */
export interface Route {
  /** `GET /v1/vehicle/{registration}/insurance`, or `$default`. */
  readonly key: string;
  readonly entry: string;
  readonly method?: string;
  readonly template?: string;
}

/** A route and the path parameters of a request, still encoded. */
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

/** Chooses as API Gateway does: literal segments take precedence over variables; without a match, `$default`. */
export const chooseRoute = (method: string, encodedPath: string): RouteMatch => {
  const matches = routes.flatMap((route) => {
    if (route.method !== method || route.template === undefined) return [];
    const parameters = matchRoute(route.template, encodedPath);
    return parameters ? [{ route, parameters, variables: variablesIn(route.template) }] : [];
  });
  const [best] = matches.sort((a, b) => a.variables - b.variables);
  return best ?? { route: defaultRoute, parameters: {} };
};
