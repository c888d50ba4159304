/** https://fastify.dev/docs/latest/Guides/Serverless/#aws. */
import awsLambdaFastify from '@fastify/aws-lambda';
import Fastify from 'fastify';
import { lookUp } from '../raw-handler.ts';

const app = Fastify();

app.get<{ Params: { registration: string } }>('/v1/vehicle/:registration/insurance', async (request, reply) => {
  const item = await lookUp(request.params.registration);
  return item ?? reply.code(404).send();
});

export const handler = awsLambdaFastify(app);
await app.ready();
