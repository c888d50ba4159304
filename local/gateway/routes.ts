import type { FunctionId } from '../../functions/endpoints/endpoint-files.ts';
import { matchRoute } from '../../functions/endpoints/match-route.ts';
import { endpoints } from '../../functions/endpoints/table.ts';
import { endpoint as notFound } from '../../functions/not-found/endpoint.ts';

export interface Route {
  /** `GET /v1/vehicle/{registration}/insurance`, or `$default`. */
  readonly routeKey: string;
  readonly functionId: FunctionId;
  /** The path parameters of the request, still encoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

export const DEFAULT_ROUTE: Route = { routeKey: notFound.id, functionId: 'not-found', parameters: {} };

/** The route that API Gateway would choose; `$default` when none matches. No request matches two of our routes. */
export const chooseRoute = (method: string, encodedPath: string): Route => {
  for (const endpoint of Object.values(endpoints).filter((one) => one.method === method)) {
    for (const template of endpoint.paths) {
      const parameters = matchRoute(template, encodedPath);
      if (parameters) return { routeKey: `${method} ${template}`, functionId: endpoint.id, parameters };
    }
  }
  return DEFAULT_ROUTE;
};
