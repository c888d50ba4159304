import { Logger } from '@aws-lambda-powertools/logger';

/** The only fields that a log line may carry: nothing personal, no key, no body (design.md "Privacy and keys"). */
export interface RequestLog {
  readonly requestId: string;
  readonly endpoint: string;
  readonly status: number;
  readonly latencyMs: number;
  readonly keyId?: string;
  /** Present when the request has a test key. */
  readonly sandbox?: boolean;
  /** The trace id of the caller's `traceparent`, to find the request in the caller's own traces. */
  readonly traceId?: string;
  readonly code?: string;
}

let shared: Logger | undefined;

/** Created on first use: it reads the environment, which a process may set after it has loaded this file. */
const logger = (): Logger => {
  shared ??= new Logger({ serviceName: 'vehicle-verification' });
  return shared;
};

/** Creates the logger during init, when Lambda gives the function more CPU than during a request. */
export const openLog = (): void => void logger();

/** One line per request. */
export const logRequest = (entry: RequestLog): void => logger().info('request', { ...entry });

/**
 * An internal error: its name, stack frames and SDK metadata, and those of its causes. Messages are left out, because a parser
 * quotes the body in its message and the SDK may quote an item's key.
 */
export const logFailure = (requestId: string, error: unknown): void =>
  logger().error('failure', { requestId, failure: describeFailure(error) });

/** Stored records that cannot be read, for the operator to find and import again. */
export const logDamage = (table: string, records: number): void =>
  logger().error('damaged records', { table, records });

const MAX_CAUSES = 3;

const describeFailure = (error: unknown, depth = 0): object => {
  if (!(error instanceof Error)) return { name: typeof error };
  const metadata = (error as { $metadata?: { httpStatusCode?: number; attempts?: number; requestId?: string } })
    .$metadata;
  return {
    name: error.name,
    frames: (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)),
    ...(metadata === undefined
      ? {}
      : { awsStatus: metadata.httpStatusCode, awsAttempts: metadata.attempts, awsRequestId: metadata.requestId }),
    ...(error.cause !== undefined && depth < MAX_CAUSES ? { cause: describeFailure(error.cause, depth + 1) } : {}),
  };
};
