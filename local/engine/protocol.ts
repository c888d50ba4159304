/** The part of DynamoDB's JSON protocol that the embedded engine needs. */

export type JsonObject = Record<string, unknown>;

export interface EngineResponse {
  readonly status: number;
  readonly body: JsonObject;
}

/** A request that DynamoDB would reject. It has the form of dynalite's own errors. */
export class RejectedRequest extends Error {
  readonly statusCode: number;
  readonly body: JsonObject;

  constructor(type: string, message: string, details: JsonObject = {}, statusCode = 400) {
    super(message);
    this.statusCode = statusCode;
    // SDKs read the name after the namespace.
    this.body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message, ...details };
  }
}

export const validationError = (message: string) => new RejectedRequest('ValidationException', message);

export const unknownOperation = () => new RejectedRequest('UnknownOperationException', 'The operation is not known');

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The response to a request that failed. Any error but a rejection is one of the engine, which SDKs retry. */
export const responseTo = (error: unknown): EngineResponse => {
  const { statusCode, body } = (error ?? {}) as { statusCode?: number; body?: unknown };
  if (statusCode !== undefined && isJsonObject(body)) return { status: statusCode, body };
  return responseTo(new RejectedRequest('InternalServerError', 'Internal server error', {}, 500));
};

/** The name of the error without its namespace; undefined for a success. */
export const parseErrorName = ({ status, body }: EngineResponse): string | undefined =>
  status === 200 ? undefined : String(body.__type).replace(/^.*#/, '');
