/** The router of Powertools' event handler. It takes any Standard Schema; this one is written by hand. */
import { Router } from '@aws-lambda-powertools/event-handler/http';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { lookUp } from './look-up.ts';
import { REGISTRATION } from './registration-schema.ts';

const app = new Router();

const path = {
  '~standard': {
    version: 1 as const,
    vendor: 'bench',
    validate: (value: unknown) => {
      const { registration = '' } = value as Record<string, string>;
      return REGISTRATION.test(registration)
        ? { value: { registration } }
        : { issues: [{ message: 'no registration' }] };
    },
  },
};

app.get(
  '/v1/vehicle/:registration/insurance',
  async ({ req, valid }) => {
    const { statusCode, headers, body } = await lookUp(
      req.headers.get('x-api-key') ?? undefined,
      valid.req.path.registration,
    );
    return { statusCode, headers, body: JSON.stringify(body) };
  },
  { validation: { req: { path } } },
);

export const handler = (event: APIGatewayProxyEventV2, context: Context) => app.resolve(event, context);
