/** Fastify with its Lambda adapter and its own JSON Schema validation. */
import awsLambdaFastify from '@fastify/aws-lambda';
import fastify from 'fastify';
import { lookUp } from './look-up.ts';
import { registrationSchema } from './registration-schema.ts';

const app = fastify();

app.get<{ Params: { registration: string } }>(
  '/v1/vehicle/:registration/insurance',
  { schema: { params: registrationSchema } },
  async (request, reply) => {
    const { 'x-api-key': presented } = request.headers;
    const { statusCode, headers, body } = await lookUp(String(presented), request.params.registration);
    return reply.code(statusCode).headers(headers).send(body);
  },
);

// Nothing here reads the event, so the request need not carry it.
export const handler = awsLambdaFastify(app, { decorateRequest: false });
// As the adapter advises: ready before the first request.
await app.ready();
