/** DynamoDB's JSON protocol: what goes over the wire, as far as the embedded engine needs to know it. */

export type JsonObject = Record<string, unknown>;

/** What is sent back: an HTTP status and a JSON body. */
export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

const AWS_PREFIXES = {
  service: 'com.amazon.coral.service',
  validation: 'com.amazon.coral.validate',
  database: 'com.amazonaws.dynamodb.v20120810',
} as const;

/** A refusal as DynamoDB words it. */
export const refusal = (
  origin: keyof typeof AWS_PREFIXES,
  name: string,
  message: string,
  details: JsonObject = {},
): Answer => ({ status: 400, body: { __type: `${AWS_PREFIXES[origin]}#${name}`, message, ...details } });

export const validationRefusal = (message: string): Answer => refusal('validation', 'ValidationException', message);

/** The engine's own failure: an SDK may try again. */
export const INTERNAL_FAILURE: Answer = {
  status: 500,
  body: { __type: `${AWS_PREFIXES.database}#InternalServerError`, message: 'Internal server error' },
};

/** The name of the error in an answer, without its namespace; undefined for a success. */
export const errorNameOf = ({ status, body }: Answer): string | undefined =>
  status === 200 ? undefined : String(body.__type).replace(/^.*#/, '');

export const messageOf = ({ body }: Answer): string => String(body.message ?? body.Message ?? '');

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
