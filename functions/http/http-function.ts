import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { AdmissionStore } from '../../core/access/authenticate.ts';
import { keyFinder } from '../../core/access/key-record.ts';
import { recentMap } from '../../core/access/recent-map.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import { database } from '../../core/dynamodb/database.ts';
import { tableNamesFromEnvironment } from '../../core/runtime/environment.ts';
import type { TableId } from '../../core/tables.ts';
import { compression } from './compression.ts';
import { grantedActions, type ServedEndpoint } from './endpoint.ts';
import { keyForm } from './key-form.ts';
import { problemDocuments } from './problem-documents.ts';
import { createRequestContext, type HttpRequest, type InboundMiddleware, type RequestContext } from './request.ts';
import { reportInternalError, requestLog } from './request-log.ts';
import { responseHeaders } from './response-headers.ts';

/** A Lambda handler for API Gateway. It accepts malformed events, returns a response for every error and never throws. */
export type GatewayHandler = (event: unknown, context?: Context) => Promise<APIGatewayProxyStructuredResultV2>;

/** What a handler returns. The middlewares add the status and the headers of every response. */
export interface Answer {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The error because of which a part of the body is missing (`LOOKUP_UNAVAILABLE`); logged, never sent. */
  readonly failure?: unknown;
}

/** The DynamoDB client, the row's table names, the table of counters, and admission's store. @throws MissingEnvironment */
export const openTables = (row: ServedEndpoint) => {
  const db = database();
  const tables = tableNamesFromEnvironment(Object.keys(grantedActions(row)) as TableId[]);
  const usage = usageTable(db, tables.usage);
  const store: AdmissionStore = {
    findKey: keyFinder(db, tables.keys),
    incrementUsage: usage.increment,
    uncounted: recentMap(),
  };
  return { db, tables, usage, store };
};

const toResponse = (statusCode: number, { body, headers = {} }: Answer): APIGatewayProxyStructuredResultV2 => ({
  statusCode,
  headers: {
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)),
  },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

const requestContext: InboundMiddleware = {
  before: ({ event, context, internal }) => void Object.assign(internal, createRequestContext(event, context)),
};

/**
 * Makes a function behind API Gateway. Its middlewares, outermost first: request context, request log and id, response headers,
 * compression, problem documents, key form, then `middlewares`. They share the request context, `request.internal`. `respond` is the first step
 * of the way back, in place of a handler, to which middy does not pass that context.
 */
export const httpFunction = (
  { id, successStatus, compressed }: Pick<ServedEndpoint, 'id' | 'successStatus' | 'compressed'>,
  middlewares: readonly InboundMiddleware[],
  respond: (context: RequestContext) => Promise<Answer>,
): GatewayHandler => {
  const response = {
    after: async (request: HttpRequest): Promise<void> => {
      const { internal: context } = request;
      const answer = await context.deadline.within(respond(context));
      if (answer.failure !== undefined) reportInternalError(context, answer.failure);
      request.response = toResponse(successStatus, answer);
    },
  };
  const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Error, Context, RequestContext>({
    timeoutEarlyInMillis: 0,
  }).use([
    requestContext,
    requestLog(id),
    responseHeaders(),
    ...(compressed ? [compression()] : []),
    problemDocuments(),
    keyForm(),
    ...middlewares,
    response,
  ]);
  // middy reads the context before it catches errors, so it must be an object.
  return (event, lambda) => handler((event ?? {}) as APIGatewayProxyEventV2, (lambda ?? {}) as Context);
};
