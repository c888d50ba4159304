/**
 * The definition of an endpoint as plain data, and the actions that its role is granted. Imports no code that answers
 * requests, so that stack, local gateway and document can read it.
 */
import type { Scope } from '../../core/access/scopes.ts';
import type { ProblemCode } from '../../core/problems.ts';
import type { TableId } from '../../core/tables.ts';

type Action = 'GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem';

type TableActions = Partial<Record<TableId, readonly Action[]>>;

/** Lambda's timeout in seconds. A request's own deadline is a second earlier (request.ts). */
export const FUNCTION_TIMEOUT_SECONDS = 10;

/** The definition of a function that responds to requests: those to an endpoint, or to any other path. */
export interface HttpFunction {
  /** The name of the endpoint's folder, or `$default`; also used in logs, the CDK stack and the document. */
  readonly id: string;
  /** Every path of the endpoint, in the route syntax of API Gateway. The document shows the first. */
  readonly paths: readonly [string, ...string[]];
  /** The scope that a key needs. Absent where any valid key is allowed. */
  readonly scope?: Scope;
  /** A scope that permits a part of each response (`answerScope` in auth.ts). */
  readonly partScope?: Scope;
  /**
   * Memory of the function, and with it a share of a core (docs/performance.md#the-memory-of-each-function). A lookup
   * has 1,280 to stay well below a p99 of 15 ms and a cold start of 180 ms. Where an endpoint waits for several
   * database requests in turn, more than 1,024 shortens only the cold start.
   */
  readonly memoryMegabytes: number;
  /** The actions on tables. `grantedActions` adds those of `auth`. */
  readonly tables: Omit<TableActions, 'keys'>;
}

export interface Endpoint extends HttpFunction {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly summary: string;
  readonly tag: 'Vehicles' | 'Compliance' | 'Content' | 'Usage';
  readonly successStatus: 200 | 201 | 204;
  /** The errors of this endpoint. The errors of every endpoint and of every body are added. */
  readonly problems: readonly ProblemCode[];
}

/** The actions of a function's role: its own, and those of `auth`, which reads the key and increments the counter. */
export const grantedActions = ({ tables: { usage = [], ...others } }: Pick<HttpFunction, 'tables'>): TableActions => ({
  keys: ['GetItem'],
  usage: ['UpdateItem', ...usage],
  ...others,
});
