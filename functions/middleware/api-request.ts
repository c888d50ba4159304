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

/** What an endpoint's row declares of its request, validated. */
export interface Input<Id extends EndpointId> {
  readonly parameters: Part<Rows[Id], 'path'>;
  readonly query: Part<Rows[Id], 'query'>;
  readonly headers: Part<Rows[Id], 'headers'>;
  readonly body: Part<Rows[Id], 'body'>;
}

/** What a lookup loads from: the input and the moment, but not the caller. */
export interface LoadRequest<Id extends EndpointId> extends Input<Id>, Pick<RequestContext, 'now' | 'deadline'> {
  /** The endpoint's path in the family that was asked (contract.md "Addresses and versions"), for links within it. */
  readonly address: string;
}

/** A valid request of an admitted caller. */
export type ApiRequest<Id extends EndpointId> = LoadRequest<Id> & { readonly caller: Caller };

/** What a handler returns: a body and its resource's headers. Status and common headers come from the stack. */
export interface Answer {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Why the body lacks something that the caller may ask for again: for the operator alone. */
  readonly failure?: unknown;
}

/** What an endpoint works with: the database, and the names of the tables that its row lists. */
export interface Resources<Id extends EndpointId> {
  readonly db: DynamoDBDocumentClient;
  readonly tables: Readonly<Record<keyof Rows[Id]['tables'] & TableId, string>>;
}
