import type { Caller } from '../access/admission.ts';
import { keysTable } from '../access/keys-table.ts';
import { usageTable } from '../access/usage-table.ts';
import { type Endpoint, type EndpointId, endpoints, fallback } from '../endpoints.ts';
import { database } from '../runtime/dynamodb.ts';
import { tableNamesFromEnvironment } from '../runtime/environment.ts';
import type { TableId } from '../tables.ts';
import type { Answer, ApiRequest, LoadRequest, ReadInput, Resources } from './api-request.ts';
import type { Flow } from './flow.ts';
import { type GatewayHandler, stack } from './stack.ts';

const openTables = (tables: Endpoint['tables']) => {
  const db = database();
  const names = tableNamesFromEnvironment(Object.keys(tables) as TableId[]);
  const register = { findKey: keysTable(db, names.keys).find, raise: usageTable(db, names.usage).raise };
  return { db, names, register };
};

/** The types of an endpoint's input are those of its row, which `readInput` has just validated. */
const requestOf = <Id extends EndpointId>({ input, now, deadline, path }: Flow): LoadRequest<Id> =>
  ({ ...(input as object), now, deadline, path }) as LoadRequest<Id>;

const admittedRequestOf = <Id extends EndpointId>(flow: Flow & { readonly caller: Caller }): ApiRequest<Id> => ({
  ...requestOf<Id>(flow),
  caller: flow.caller,
});

/**
 * The function of a row that acts only once its caller is admitted.
 * @throws MissingEnvironment at start, naming every variable that is missing
 */
export const endpoint = <Id extends EndpointId>(
  id: Id,
  readInput: ReadInput,
  define: (resources: Resources<Id>) => (request: ApiRequest<Id>) => Promise<Answer>,
): GatewayHandler => {
  const row: Endpoint = endpoints[id];
  const { db, names, register } = openTables(row.tables);
  const respond = define({ db, tables: names });
  return stack({
    endpoint: id,
    status: row.successStatus,
    scope: row.scope,
    register,
    parse: (flow) => readInput(row, flow),
    respond: (flow) => respond(admittedRequestOf<Id>(flow)),
  });
};

/** The two halves of a look-up: `load` can run while admission runs and knows nothing of the caller. */
export interface Lookup<Id extends EndpointId, Loaded> {
  readonly load: (request: LoadRequest<Id>) => Promise<Loaded>;
  /** Whether `load` may read many items: then it does so for nobody who might be a stranger. */
  readonly readsMuch?: (request: LoadRequest<Id>) => boolean;
  readonly respond: (loaded: Loaded, request: ApiRequest<Id>) => Answer;
}

/**
 * The function of a row that only reads, in the time of one round trip.
 * @throws MissingEnvironment at start, naming every variable that is missing
 */
export const lookup = <Id extends EndpointId, Loaded>(
  id: Id,
  readInput: ReadInput,
  define: (resources: Resources<Id>) => Lookup<Id, Loaded>,
): GatewayHandler => {
  const row: Endpoint = endpoints[id];
  const { db, names, register } = openTables(row.tables);
  const { load, readsMuch, respond } = define({ db, tables: names });
  return stack({
    endpoint: id,
    status: row.successStatus,
    scope: row.scope,
    register,
    parse: (flow) => readInput(row, flow),
    loading: {
      load: (flow) => load(requestOf<Id>(flow)),
      ...(readsMuch && { readsMuch: (flow) => readsMuch(requestOf<Id>(flow)) }),
    },
    respond: (flow) => respond(flow.loaded as Loaded, admittedRequestOf<Id>(flow)),
  });
};

/** The function for what no row serves: `refuse` throws, once the caller is admitted. */
export const fallbackEndpoint = (refuse: (method: string, path: string) => never): GatewayHandler =>
  stack({
    endpoint: fallback.route,
    status: 404,
    register: openTables(fallback.tables).register,
    parse: () => undefined,
    respond: ({ method, path }) => refuse(method, path),
  });
