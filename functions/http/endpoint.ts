/** The row of an endpoint. Plain data: the stack, the local gateway and the document read it without loading runtime code. */
import type { Scope } from '../../core/access/scopes.ts';
import type { ProblemCode } from '../../core/problems.ts';
import type { TableId } from '../../core/tables.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

type Action = 'GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem';

/** The DynamoDB actions that a function uses on each table. */
export type TableActions = Partial<Record<TableId, readonly Action[]>>;

/** Lambda's timeout in seconds; the functions' own deadline is shorter. */
export const FUNCTION_TIMEOUT_SECONDS = 10;

/** The part of a row that its function reads. */
export interface ServedEndpoint {
  /** The name of its folder. The log, the stack and the document have it. */
  readonly id: string;
  /** Every address of the endpoint, as API Gateway writes a route; the first is the one that documentation shows. */
  readonly paths: readonly [string, ...string[]];
  /** Absent where any valid key will do. */
  readonly scope?: Scope;
  /** The query parameter `date`: a day to answer for, or why it is rejected, in a body too that does not have it. */
  readonly date?: 'accepted' | { readonly rejected: string };
  /** The array in the body whose length is limited by the caller's plan. */
  readonly bulk?: 'registrations';
  readonly successStatus: number;
  /** Without the actions of admission, which `grantedActions` adds. */
  readonly tables: Omit<TableActions, 'keys'>;
}

export interface Endpoint extends ServedEndpoint {
  readonly method: HttpMethod;
  readonly summary: string;
  readonly tag: 'Vehicles' | 'Compliance' | 'Content' | 'Usage';
  readonly successStatus: 200 | 201 | 204;
  /** The errors of this endpoint, besides those of every endpoint. */
  readonly problems: readonly ProblemCode[];
}

/** Exactly what a function's role grants: what its row lists, and what admission needs to read the key and to count. */
export const grantedActions = ({
  tables: { usage = [], ...others },
}: Pick<ServedEndpoint, 'tables'>): TableActions => ({
  keys: ['GetItem'],
  usage: ['UpdateItem', ...usage],
  ...others,
});
