/** The part of DynamoDB's JSON protocol that the embedded engine needs. */

export type JsonObject = Record<string, unknown>;

/** An HTTP status and a JSON body. */
export interface EngineResponse {
  readonly status: number;
  readonly body: JsonObject;
}

const AWS_PREFIXES = {
  service: 'com.amazon.coral.service',
  validation: 'com.amazon.coral.validate',
  database: 'com.amazonaws.dynamodb.v20120810',
} as const;

/** An error as DynamoDB returns it, with status 400. */
export const errorResponse = (
  origin: keyof typeof AWS_PREFIXES,
  name: string,
  message: string,
  details: JsonObject = {},
): EngineResponse => ({ status: 400, body: { __type: `${AWS_PREFIXES[origin]}#${name}`, message, ...details } });

export const validationError = (message: string): EngineResponse =>
  errorResponse('validation', 'ValidationException', message);

export const UNKNOWN_OPERATION = errorResponse('service', 'UnknownOperationException', 'The operation is not known');

/** A failure of the engine itself. SDKs retry it. */
export const INTERNAL_SERVER_ERROR: EngineResponse = {
  status: 500,
  body: { __type: `${AWS_PREFIXES.database}#InternalServerError`, message: 'Internal server error' },
};

/** The name of the error without its namespace; undefined for a success. */
export const errorNameOf = ({ status, body }: EngineResponse): string | undefined =>
  status === 200 ? undefined : String(body.__type).replace(/^.*#/, '');

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
