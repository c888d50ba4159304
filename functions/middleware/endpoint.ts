import type { AdmissionStore } from '../access/admission.ts';
import { keysTable } from '../access/keys-table.ts';
import { usageTable } from '../access/usage-table.ts';
import { database } from '../dynamodb/database.ts';
import { type Endpoint, type EndpointId, endpoints, fallback } from '../endpoints.ts';
import { tableNamesFromEnvironment } from '../runtime/environment.ts';
import type { TableId } from '../tables.ts';
import { admission, keyForm } from './admission.ts';
import type { Answer, ApiRequest, LoadRequest, Resources } from './api-request.ts';
import type { RequestContext } from './request-context.ts';
import { bulkSizeLimit, inputMiddlewares } from './request-input.ts';
import { type AdmittedContext, type GatewayHandler, stack } from './stack.ts';

/** The database, the names of a row's tables, and the two of admission among them. */
export const openTables = (tables: Endpoint['tables']) => {
  const db = database();
  const names = tableNamesFromEnvironment(Object.keys(tables) as TableId[]);
  const store: AdmissionStore = {
    findKey: keysTable(db, names.keys).find,
    incrementUsage: usageTable(db, names.usage).increment,
  };
  return { db, names, store };
};

/** The row's path that was requested. Any other path comes from a malformed event and is never put into a header. */
const addressOf = ({ paths }: Endpoint, path: string): string => paths.find((known) => known === path) ?? paths[0];

/** What a handler gets of the context. Its input has the types of the row, which has just validated it. */
export const requestOf = <Id extends EndpointId>(row: Endpoint, context: RequestContext): LoadRequest<Id> => {
  const { pathParameters, input, now, deadline, path } = context;
  return { parameters: pathParameters, ...input, now, deadline, address: addressOf(row, path) } as LoadRequest<Id>;
};

/** As `requestOf`, with the caller. */
export const admittedRequestOf = <Id extends EndpointId>(row: Endpoint, context: AdmittedContext): ApiRequest<Id> => ({
  ...requestOf<Id>(row, context),
  caller: context.caller,
});

/**
 * The function of a row that acts only once its caller is admitted: everything that writes.
 * @example
 * export const handler = endpoint('delete-content', ({ db, tables }) => {
 *   const content = contentTable(db, tables.content);
 *   return async ({ parameters, headers, now, deadline }) => {
 *     await content.remove(parameters.id, headers['If-Match'], { now, deadline });
 *     return {};
 *   };
 * });
 * @throws MissingEnvironment at start, naming every variable that is missing
 */
export const endpoint = <Id extends EndpointId>(
  id: Id,
  define: (resources: Resources<Id>) => (request: ApiRequest<Id>) => Promise<Answer>,
): GatewayHandler => {
  const row: Endpoint = endpoints[id];
  const { db, names, store } = openTables(row.tables);
  const respond = define({ db, tables: names });
  return stack({
    endpoint: id,
    successStatus: row.successStatus,
    middlewares: [keyForm(), admission(store, row.scope), ...inputMiddlewares(row), bulkSizeLimit(row)],
    respond: (context) => respond(admittedRequestOf<Id>(row, context)),
  });
};

/**
 * The function of every path and method that no row serves.
 * @param reject throws the error, once the caller is admitted
 */
export const fallbackEndpoint = (reject: (method: string, path: string) => never): GatewayHandler =>
  stack({
    endpoint: fallback.route,
    successStatus: 404,
    middlewares: [keyForm(), admission(openTables(fallback.tables).store)],
    respond: ({ method, path }) => reject(method, path),
  });
