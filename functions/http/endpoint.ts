/** The row of an endpoint. Plain data: the CDK stack, the local gateway and the document read it without loading runtime code. */
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
  /** The name of the endpoint's folder, also used in logs, the CDK stack and the document. */
  readonly id: string;
  /** Every path of the endpoint, in the route syntax of API Gateway. The document shows the first. */
  readonly paths: readonly [string, ...string[]];
  /** Absent where any valid key is allowed. */
  readonly scope?: Scope;
  /**
   * Whether the query parameter `date` is accepted, or why it is rejected. The reason also applies to a field `date` in a body
   * whose schema lacks it.
   */
  readonly date?: 'accepted' | { readonly rejected: string };
  /** Whether the body has an array `registrations`, whose length the caller's plan limits. */
  readonly bulk?: true;
  /** Whether large responses are compressed for callers that accept gzip: bulk answers and pages of a list. */
  readonly compressed?: true;
  readonly successStatus: number;
  /**
   * Memory of the function, which brings a share of a core: docs/performance.md#the-memory-of-each-function has what each size
   * takes and costs. A lookup needs 1,280 for a p99 of 15 ms and a cold start of 180 ms; it is also the cheapest size for bulk. An
   * endpoint that waits for several database requests one after the other gains only a shorter cold start by more than 1,024.
   */
  readonly memoryMegabytes: number;
  /** Whether anybody may request it, without a key: it then has no admission and no rate limit headers. */
  readonly isPublic?: true;
  /**
   * What its function does with the keys of signed answers, on a stage that has any (docs/contract.md#signed-answers): one with `Sign`
   * signs its answers for callers who ask, one without any action only knows that there are keys.
   */
  readonly signing?: readonly ('Sign' | 'GetPublicKey')[];
  /** Without the actions of admission, which `grantedActions` adds. */
  readonly tables: Omit<TableActions, 'keys'>;
}

export interface Endpoint extends ServedEndpoint {
  readonly method: HttpMethod;
  readonly summary: string;
  readonly tag: 'Vehicles' | 'Compliance' | 'Content' | 'Usage';
  readonly successStatus: 200 | 201 | 204;
  /** The errors of this endpoint, besides those of every endpoint and of every body. */
  readonly problems: readonly ProblemCode[];
}

/** The actions that a function's role grants: those in its row, and those of admission, which reads the key and increments the counter. */
export const grantedActions = ({
  isPublic,
  tables: { usage = [], ...others },
}: Pick<ServedEndpoint, 'isPublic' | 'tables'>): TableActions => ({
  ...(!isPublic && { keys: ['GetItem'], usage: ['UpdateItem', ...usage] }),
  ...others,
});
