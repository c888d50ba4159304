/** Hono with its Lambda adapter; its stock validator takes a check by hand. */
import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { validator } from 'hono/validator';
import { lookUp } from './look-up.ts';
import { REGISTRATION } from './registration-schema.ts';

const app = new Hono();

const registrationParameter = validator('param', (parameters, context) => {
  const { registration = '' } = parameters as Record<string, string>;
  return REGISTRATION.test(registration) ? { registration } : context.json({ message: 'no registration' }, 400);
});

app.get('/v1/vehicle/:registration/insurance', registrationParameter, async (context) => {
  const answer = await lookUp(context.req.header('x-api-key'), context.req.valid('param').registration);
  return context.json(answer.body, answer.statusCode, answer.headers);
});

export const handler = handle(app);
