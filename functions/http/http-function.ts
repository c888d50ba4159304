import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { type AdmissionStore, recentMap } from '../../core/access/authenticate.ts';
import { keyFinder } from '../../core/access/key-record.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import { database } from '../../core/dynamodb/database.ts';
import { tableNamesFromEnvironment } from '../../core/runtime/environment.ts';
import type { TableId } from '../../core/tables.ts';
import { compression } from './compression.ts';
import { grantedActions, type ServedEndpoint } from './endpoint-definition.ts';
import { keyForm } from './key-form.ts';
import { problemDocuments } from './problem-documents.ts';
import { createRequestContext, type HttpRequest, type InboundMiddleware, type RequestContext } from './request.ts';
import { reportInternalError, requestLog } from './request-log.ts';
import { responseHeaders } from './response-headers.ts';
import { signedResponse } from './signed-answers.ts';

/** A Lambda handler for API Gateway. It accepts malformed events, and responds to every error instead of throwing. */
export type GatewayHandler = (event: unknown, context?: Context) => Promise<APIGatewayProxyStructuredResultV2>;

/** A response without its status and the headers of every response, which the middlewares add. */
export interface Answer {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The error behind `LOOKUP_UNAVAILABLE` entries; logged, never sent. */
  readonly failure?: unknown;
}

/** The DynamoDB client, the row's table names, the table of counters, admission's store. @throws MissingEnvironment */
export const openResources = (row: ServedEndpoint) => {
  const db = database();
  const tables = tableNamesFromEnvironment(Object.keys(grantedActions(row)) as TableId[]);
  const usage = usageTable(db, tables.usage);
  const findKey = keyFinder(db, tables.keys);
  const store: AdmissionStore = { findKey, incrementUsage: usage.increment, uncounted: recentMap() };
  return { db, tables, usage, store };
};

const isSent = (header: [string, string | undefined]): header is [string, string] => header[1] !== undefined;

const toResponse = ({ status, body, headers = {} }: Answer & { readonly status: number }) => ({
  statusCode: status,
  headers: {
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...Object.fromEntries(Object.entries(headers).filter(isSent)),
  },
  ...(body !== undefined && { body: JSON.stringify(body) }),
});

const requestContext: InboundMiddleware = {
  before: ({ event, context, internal }) => void Object.assign(internal, createRequestContext(event, context)),
};

/**
 * Makes a function behind API Gateway. Its middlewares, outermost first: request context, request log and id, response
 * headers, compression, problem documents, key form unless the row is public, then `middlewares`. They share the
 * request context, `request.internal`.
 */
export const httpFunction = (
  row: Pick<ServedEndpoint, 'id' | 'successStatus' | 'isPublic' | 'compressed'>,
  middlewares: readonly InboundMiddleware[],
  respond: (context: RequestContext) => Promise<Answer>,
): GatewayHandler => {
  const answerTo = async (context: RequestContext) => {
    const { failure, ...answer } = await respond(context);
    if (failure !== undefined) reportInternalError(context, failure);
    return { status: row.successStatus, body: undefined, ...answer };
  };
  // middy passes its handler no `request.internal`. So there is no handler, and the innermost middleware responds.
  const respondOnWayBack = {
    after: async (request: HttpRequest): Promise<void> => {
      const { internal: context } = request;
      const answering = answerTo(context);
      request.response = await context.deadline.within(
        context.signing ? signedResponse(context, context.signing, answering) : answering.then(toResponse),
      );
    },
  };
  const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Error, Context, RequestContext>({
    timeoutEarlyInMillis: 0,
  }).use([
    requestContext,
    requestLog(row.id),
    responseHeaders(row),
    ...(row.compressed ? [compression()] : []),
    problemDocuments(),
    ...(row.isPublic ? [] : [keyForm()]),
    ...middlewares,
    respondOnWayBack,
  ]);
  // middy reads the context before it catches errors, so it must be an object.
  return (event, lambda) => handler((event ?? {}) as APIGatewayProxyEventV2, (lambda ?? {}) as Context);
};
