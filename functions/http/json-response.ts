import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

/** A response with a body. The middlewares add the headers of every response. */
export const jsonResponse = (
  statusCode: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): APIGatewayProxyStructuredResultV2 => ({
  statusCode,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
