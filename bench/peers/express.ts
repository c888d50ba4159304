/**
 * https://expressjs.com/en/guide/using-middleware.html with https://github.com/CodeGenieApp/serverless-express.
 * Express has no validation, rate limit or log of its own.
 */
import serverlessExpress, { getCurrentInvoke } from '@codegenie/serverless-express';
import express, { type NextFunction, type Request, type Response } from 'express';
import { logRequest, openLog } from '../../core/runtime/log.ts';
import * as stock from '../stock-lookup.ts';

openLog();
const app = express();

app.use((_request, response, next) => {
  const lookup = stock.openLookup(getCurrentInvoke().event);
  response.locals.lookup = lookup;
  response.on('finish', () => logRequest(stock.logFields(lookup, response.statusCode)));
  next();
});

app.get(
  '/v1/vehicle/:registration/insurance',
  async ({ params }, { locals }, next) => {
    await stock.admit(locals.lookup, params.registration);
    next();
  },
  ({ params, query }, _response, next) => {
    if (!stock.isValid(params.registration, query.date as string)) throw stock.invalid(params.registration);
    next();
  },
  async ({ params, query }, response) => {
    const { lookup } = response.locals;
    response
      .set(stock.limitHeaders(lookup))
      .json(await stock.answer(lookup, params.registration, query.date as string));
  },
);

app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
  const { lookup } = response.locals;
  const { status, headers, body } = stock.problemDocument(lookup, error);
  response.status(status).set(stock.limitHeaders(lookup)).set(headers).json(body);
});

export const handler = serverlessExpress({ app });
