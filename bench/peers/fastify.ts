/**
 * https://fastify.dev/docs/latest/Guides/Serverless/#aws, with Fastify's schemas, log and official rate limit. The log
 * line's metrics are members in CloudWatch's embedded metric format.
 */
import awsLambdaFastify from '@fastify/aws-lambda';
import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyRequest } from 'fastify';
import { windowAt } from '../../core/access/plans.ts';
import { metricsNamespaceFromEnvironment } from '../../core/runtime/environment.ts';
import * as stock from '../stock-lookup.ts';
import { params, query } from './schemas.ts';

interface Route {
  readonly Params: { readonly registration: string };
  readonly Querystring: { readonly date?: string };
}
type Opened = FastifyRequest<Route> & { readonly lookup: stock.Lookup };

/** The count of a request, which `identify` has made while it read the key. */
class CountedRequests {
  incr({ caller, now }: stock.Lookup, done: (error: null, count: { current: number; ttl: number }) => void): void {
    // The plugin's header has the seconds that are left, this API's the second at which the window ends.
    done(null, { current: caller?.used ?? Number.POSITIVE_INFINITY, ttl: windowAt(now).end * 1_000 });
  }

  child(): CountedRequests {
    return this;
  }
}

const METRICS = {
  Namespace: metricsNamespaceFromEnvironment(),
  Dimensions: [['service']],
  Metrics: [
    { Name: 'Requests', Unit: 'Count' },
    { Name: 'Latency', Unit: 'Milliseconds' },
    { Name: 'ServerErrors', Unit: 'Count' },
  ],
};

const app = Fastify({ logger: true, disableRequestLogging: true });

app.decorateRequest('lookup');
app.addHook<Route>('onRequest', async (request) => {
  const opened = Object.assign(request, { lookup: stock.openLookup(request.awsLambda.event) });
  await stock.identify(opened.lookup, request.params.registration);
});
await app.register(rateLimit, {
  store: CountedRequests,
  keyGenerator: ({ lookup }: Opened) => lookup,
  max: ({ lookup }: Opened) => lookup.caller?.plan.requestsPerWindow,
  addHeaders: { 'retry-after': false },
  errorResponseBuilder: ({ lookup }: Opened) => lookup.caller && stock.limitProblem(lookup.caller, lookup),
});
app.addHook('onResponse', async (request, reply) => {
  const { latencyMs: Latency, ...fields } = stock.logFields((request as Opened).lookup, reply.statusCode);
  const ServerErrors = reply.statusCode >= 500 ? 1 : 0;
  const _aws = { Timestamp: Date.now(), CloudWatchMetrics: [METRICS] };
  request.log.info({ ...fields, service: 'vehicle-verification', Requests: 1, Latency, ServerErrors, _aws });
});
app.setErrorHandler<Error & { readonly validation?: unknown }, Route>(async (error, request, reply) => {
  const { lookup, params: path } = request as Opened;
  const problem = stock.problemDocument(lookup, error.validation ? stock.invalid(path.registration) : error);
  return reply.code(problem.status).headers(stock.limitHeaders(lookup)).headers(problem.headers).send(problem.body);
});

app.get<Route>('/v1/vehicle/:registration/insurance', {
  schema: { params, querystring: query },
  handler: async (request) => stock.answer((request as Opened).lookup, request.params.registration, request.query.date),
});

export const handler = awsLambdaFastify(app);
await app.ready();
