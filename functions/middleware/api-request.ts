import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Static, TSchema } from 'typebox';
import type { Caller } from '../access/admission.ts';
import type { EndpointId, endpoints } from '../endpoints.ts';
import type { TableId } from '../tables.ts';
import type { RequestContext } from './request-context.ts';

type Rows = typeof endpoints;
type Part<Row, Name extends string> = Row extends { readonly [K in Name]: infer Schema extends TSchema }
  ? Static<Schema>
  : undefined;

/** The validated input that an endpoint's row declares. */
export interface Input<Id extends EndpointId> {
  readonly parameters: Part<Rows[Id], 'path'>;
  readonly query: Part<Rows[Id], 'query'>;
  readonly headers: Part<Rows[Id], 'headers'>;
  readonly body: Part<Rows[Id], 'body'>;
}

/** The request that a lookup loads for: a view of the request context without the caller. */
export interface LoadRequest<Id extends EndpointId> extends Input<Id>, Pick<RequestContext, 'now' | 'deadline'> {
  /** The endpoint's path with the requested prefix, `/v1/api` or `/api` (contract.md "Addresses and versions"), for links. */
  readonly address: string;
}

/** A valid request of an admitted caller. */
export type ApiRequest<Id extends EndpointId> = LoadRequest<Id> & { readonly caller: Caller };

/** What a handler returns. The stack adds the status and the headers of every response. */
export interface Answer {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Why a part of the body is missing (`LOOKUP_UNAVAILABLE`); logged, never sent. */
  readonly failure?: unknown;
}

/** The database, and the names of the tables that the endpoint's row lists. */
export interface Resources<Id extends EndpointId> {
  readonly db: DynamoDBDocumentClient;
  readonly tables: Readonly<Record<keyof Rows[Id]['tables'] & TableId, string>>;
}
