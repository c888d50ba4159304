/** Express through serverless-http. It has no validator: the parameter is checked by hand. */
import express from 'express';
import serverless from 'serverless-http';
import { lookUp } from './look-up.ts';
import { REGISTRATION } from './registration-schema.ts';

const app = express();
// Both cost time on every answer and the product has neither.
app.disable('x-powered-by');
app.disable('etag');

app.get('/v1/vehicle/:registration/insurance', async (request, response) => {
  const { registration } = request.params;
  if (!REGISTRATION.test(registration)) {
    response.status(400).json({ message: 'no registration' });
    return;
  }
  const { statusCode, headers, body } = await lookUp(request.get('x-api-key'), registration);
  response.status(statusCode).set(headers).json(body);
});

export const handler = serverless(app);
