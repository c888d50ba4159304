/** https://hono.dev/docs/getting-started/aws-lambda, with https://hono.dev/docs/guides/validation. */
import { Hono } from 'hono';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { validator } from 'hono/validator';
import { logRequest, openLog } from '../../core/runtime/log.ts';
import * as stock from '../stock-lookup.ts';

openLog();
const app = new Hono<{ Bindings: { event: LambdaEvent }; Variables: { lookup: stock.Lookup } }>();

app.use(async (context, next) => {
  const lookup = stock.openLookup(context.env.event);
  context.set('lookup', lookup);
  await next();
  for (const [name, value] of Object.entries(stock.limitHeaders(lookup))) context.header(name, value);
  logRequest(stock.logFields(lookup, context.res.status));
});

app.onError((error, context) => {
  const { status, headers, body } = stock.problemDocument(context.get('lookup'), error);
  return context.body(JSON.stringify(body), status, headers);
});

app.get(
  '/v1/vehicle/:registration/insurance',
  async (context, next) => {
    await stock.admit(context.get('lookup'), context.req.param('registration'));
    await next();
  },
  validator('param', (path: { readonly registration: string }) => {
    if (!stock.isValid(path.registration)) throw stock.invalid(path.registration);
    return path;
  }),
  validator('query', (query: { readonly date?: string }, context) => {
    const registration = context.req.param('registration');
    if (!stock.isValid(registration, query.date)) throw stock.invalid(registration);
    return query;
  }),
  async (context) => {
    const { registration } = context.req.valid('param');
    return context.json(await stock.answer(context.get('lookup'), registration, context.req.valid('query').date));
  },
);

export const handler = handle(app);
