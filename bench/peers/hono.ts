/** https://hono.dev/docs/getting-started/aws-lambda. */
import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { lookUp } from '../raw-handler.ts';

const app = new Hono();

app.get('/v1/vehicle/:registration/insurance', async (context) => {
  const item = await lookUp(context.req.param('registration'));
  return item ? context.json(item) : context.notFound();
});

export const handler = handle(app);
