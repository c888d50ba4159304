/**
 * https://docs.powertools.aws.dev/lambda/typescript/latest/features/event-handler/http/, with its validation, and the
 * middleware that logs a line with metrics.
 */
import { HttpError, type Middleware, RequestValidationError, Router } from '@aws-lambda-powertools/event-handler/http';
import { metrics as logMetrics } from '@aws-lambda-powertools/event-handler/http/middleware/metrics';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod';
import * as stock from '../stock-lookup.ts';
import { REGISTRATION } from './schemas.ts';

const metrics = new Metrics();
const app = new Router({ logger: new Logger() });

/** An error of the router, so that the metrics have its status. */
class Problem extends HttpError {
  readonly errorType = 'Problem';
  override readonly statusCode: number;
  readonly response: Response;

  constructor(lookup: stock.Lookup, error: unknown) {
    super('problem', { cause: error });
    const { status, headers, body } = stock.problemDocument(lookup, error);
    this.statusCode = status;
    this.response = new Response(JSON.stringify(body), {
      status,
      headers: { ...stock.limitHeaders(lookup), ...headers },
    });
    metrics.addMetadata('code', body.code);
  }
}
app.errorHandler(Problem, async ({ response }) => response);

const admission: Middleware = async ({ reqCtx, next }) => {
  const lookup = stock.openLookup(reqCtx.event as APIGatewayProxyEventV2);
  reqCtx.set('lookup', lookup);
  try {
    await stock.admit(lookup, reqCtx.params.registration);
    await next();
  } catch (error) {
    const isInvalid = error instanceof RequestValidationError;
    throw new Problem(lookup, isInvalid ? stock.invalid(reqCtx.params.registration) : error);
  } finally {
    if (lookup.caller) metrics.addMetadata('keyId', lookup.caller.key.id).addMetadata('plan', lookup.caller.key.plan);
  }
  for (const [name, value] of Object.entries(stock.limitHeaders(lookup))) reqCtx.res.headers.set(name, value);
};

app.use(logMetrics(metrics));
app.use(admission);

app.get(
  '/v1/vehicle/:registration/insurance',
  ({ get, valid }) => stock.answer(get('lookup') as stock.Lookup, valid.req.path.registration, valid.req.query.date),
  {
    validation: {
      req: {
        path: z.object({ registration: z.string().regex(new RegExp(REGISTRATION)) }),
        query: z.object({ date: z.iso.date().optional() }),
      },
    },
  },
);

export const handler = async (event: unknown, context: unknown) => app.resolve(event, context);
