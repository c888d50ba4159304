/** middy with its stock error handler and validator, whose ajv compiles the schema at start. */
import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import validator from '@middy/validator';
import { transpileSchema } from '@middy/validator/transpile';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { lookUp } from './look-up.ts';
import { registrationSchema } from './registration-schema.ts';

const eventSchema = transpileSchema({
  type: 'object',
  required: ['pathParameters'],
  properties: { pathParameters: registrationSchema },
});

export const handler = middy(async ({ headers, pathParameters }: APIGatewayProxyEventV2) => {
  const { statusCode, headers: sent, body } = await lookUp(headers['x-api-key'], pathParameters?.registration ?? '');
  return { statusCode, headers: sent, body: JSON.stringify(body) };
})
  .use(httpErrorHandler())
  .use(validator({ eventSchema }));
