/**
 * THE table of endpoints: one row per endpoint, four readers. The stack makes functions, routes and grants from it, the
 * local gateway its routes, the OpenAPI document its operations, the middleware its validation.
 * A row names its handler's file and does not import it, so this file loads no runtime code. A new endpoint is one row and
 * one file.
 */
import type { TObject, TSchema } from 'typebox';
import * as T from 'typebox';
import type { Scope } from '../core/access/scopes.ts';
import { UsageReport } from '../core/access/usage-schema.ts';
import { BulkComplianceResult, ComplianceVerdict } from '../core/compliance/schemas.ts';
import { ContentItem } from '../core/content/item.ts';
import {
  ContentPage,
  ContentQuery,
  CreateContent,
  IdempotencyKeyHeader,
  UpdateContent,
} from '../core/content/schemas.ts';
import type { ProblemCode } from '../core/problems.ts';
import type { TableId } from '../core/tables.ts';
import {
  AnswerableDate,
  BulkComplianceRequest,
  BulkRequest,
  BulkResult,
  Registration,
  VehicleInsurance,
} from '../core/vehicles/schemas.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The DynamoDB actions that a function uses on a table: exactly what its role grants. */
export type TableActions = Partial<
  Record<
    TableId,
    readonly ('GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem')[]
  >
>;

/** Lambda's timeout in seconds; the functions' own deadline is shorter. */
export const FUNCTION_TIMEOUT_SECONDS = 10;

export interface Endpoint {
  readonly method: HttpMethod;
  /** Every address of the endpoint, as API Gateway writes a route; the first is the one that documentation shows. */
  readonly paths: readonly [string, ...string[]];
  readonly summary: string;
  readonly tag: 'Vehicles' | 'Compliance' | 'Content' | 'Usage';
  /** Absent where any valid key will do. */
  readonly scope?: Scope;
  readonly path?: TObject;
  readonly query?: TObject;
  /** The query parameter `date` of a lookup: a day to answer for, or why it is rejected, in a body too that does not have it. */
  readonly date?: 'accepted' | { readonly rejected: string };
  /** Request headers besides the key's. */
  readonly headers?: TObject;
  readonly body?: TSchema;
  /** The array in the body whose length is limited by the caller's plan. */
  readonly bulk?: 'registrations';
  readonly successStatus: 200 | 201 | 204;
  readonly response?: TSchema;
  /** The errors of this endpoint, besides those of every endpoint. */
  readonly problems: readonly ProblemCode[];
  readonly tables: TableActions;
  /** The file whose export `handler` serves the endpoint, from the project's root. */
  readonly entry: string;
}

/** Admission reads the key and counts the request, for every endpoint. */
const admission = { keys: ['GetItem'], usage: ['UpdateItem'] } as const satisfies TableActions;

/** The query of a row whose `date` is accepted. */
export const dateQuery = T.Object({ date: T.Optional(AnswerableDate) });

const registrationPath = T.Object({ registration: Registration });
const contentIdPath = T.Object({ id: T.String({ description: 'Identifier of the content item' }) });
const ifMatchHeader = T.Object({
  'If-Match': T.Optional(T.String({ description: 'Change the item only if its version is named here' })),
});

const contentCollection = ['/v1/api/content', '/api/content'] as const;
const contentItem = ['/v1/api/content/{id}', '/api/content/{id}'] as const;

const bodyProblems = ['VALIDATION_FAILED', 'MALFORMED_JSON', 'UNSUPPORTED_CONTENT_TYPE', 'BODY_TOO_LARGE'] as const;

const onlyToday = {
  rejected: 'must be left out: MOT, road tax and fines have no history, so a verdict is always for today',
} as const;

export const endpoints = {
  'vehicle-insurance': {
    method: 'GET',
    paths: ['/v1/vehicle/{registration}/insurance'],
    summary: 'Is this vehicle insured?',
    tag: 'Vehicles',
    scope: 'vehicles:read',
    path: registrationPath,
    date: 'accepted',
    successStatus: 200,
    response: VehicleInsurance,
    problems: ['VALIDATION_FAILED', 'INVALID_REGISTRATION', 'VEHICLE_NOT_FOUND'],
    tables: { ...admission, vehicles: ['GetItem'] },
    entry: 'functions/handlers/vehicle-insurance.ts',
  },
  'bulk-insurance': {
    method: 'POST',
    paths: ['/v1/vehicle/bulk-insurance'],
    summary: 'Are these vehicles insured?',
    tag: 'Vehicles',
    scope: 'vehicles:read',
    date: { rejected: 'must be a field of the body here: "date"' },
    body: BulkRequest,
    bulk: 'registrations',
    successStatus: 200,
    response: BulkResult,
    problems: [...bodyProblems, 'BULK_TOO_LARGE'],
    tables: { ...admission, vehicles: ['BatchGetItem'] },
    entry: 'functions/handlers/bulk-insurance.ts',
  },
  compliance: {
    method: 'GET',
    paths: ['/v1/compliance/{registration}'],
    summary: 'May this vehicle be on the road?',
    tag: 'Compliance',
    scope: 'compliance:read',
    path: registrationPath,
    date: onlyToday,
    successStatus: 200,
    response: ComplianceVerdict,
    problems: ['VALIDATION_FAILED', 'INVALID_REGISTRATION', 'VEHICLE_NOT_FOUND', 'COMPLIANCE_NOT_FOUND'],
    tables: { ...admission, vehicles: ['BatchGetItem'], compliance: ['BatchGetItem'] },
    entry: 'functions/handlers/compliance.ts',
  },
  'bulk-compliance': {
    method: 'POST',
    paths: ['/v1/vehicle/bulk-compliance'],
    summary: 'May these vehicles be on the road?',
    tag: 'Compliance',
    scope: 'compliance:read',
    date: onlyToday,
    body: BulkComplianceRequest,
    bulk: 'registrations',
    successStatus: 200,
    response: BulkComplianceResult,
    problems: [...bodyProblems, 'BULK_TOO_LARGE'],
    tables: { ...admission, vehicles: ['BatchGetItem'], compliance: ['BatchGetItem'] },
    entry: 'functions/handlers/bulk-compliance.ts',
  },
  'list-content': {
    method: 'GET',
    paths: contentCollection,
    summary: 'List content items',
    tag: 'Content',
    scope: 'content:read',
    query: ContentQuery,
    successStatus: 200,
    response: ContentPage,
    problems: ['VALIDATION_FAILED', 'PAGE_TOO_LARGE', 'DOMAIN_FORBIDDEN'],
    tables: { ...admission, content: ['GetItem', 'BatchGetItem', 'Query'] },
    entry: 'functions/handlers/list-content.ts',
  },
  'create-content': {
    method: 'POST',
    paths: contentCollection,
    summary: 'Create a content item',
    tag: 'Content',
    scope: 'content:write',
    headers: T.Object({ 'Idempotency-Key': T.Optional(IdempotencyKeyHeader) }),
    body: CreateContent,
    successStatus: 201,
    response: ContentItem,
    problems: [...bodyProblems, 'DOMAIN_FORBIDDEN', 'SLUG_TAKEN', 'IDEMPOTENCY_CONFLICT'],
    tables: { ...admission, content: ['PutItem', 'UpdateItem'] },
    entry: 'functions/handlers/create-content.ts',
  },
  'read-content': {
    method: 'GET',
    paths: contentItem,
    summary: 'Read a content item',
    tag: 'Content',
    scope: 'content:read',
    path: contentIdPath,
    successStatus: 200,
    response: ContentItem,
    problems: ['CONTENT_NOT_FOUND'],
    tables: { ...admission, content: ['GetItem'] },
    entry: 'functions/handlers/read-content.ts',
  },
  'update-content': {
    method: 'PUT',
    paths: contentItem,
    summary: 'Update a content item',
    tag: 'Content',
    scope: 'content:write',
    path: contentIdPath,
    headers: ifMatchHeader,
    body: UpdateContent,
    successStatus: 200,
    response: ContentItem,
    problems: [...bodyProblems, 'CONTENT_NOT_FOUND', 'DOMAIN_FORBIDDEN', 'PRECONDITION_FAILED', 'SLUG_TAKEN'],
    tables: { ...admission, content: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'] },
    entry: 'functions/handlers/update-content.ts',
  },
  'delete-content': {
    method: 'DELETE',
    paths: contentItem,
    summary: 'Delete a content item permanently',
    tag: 'Content',
    scope: 'content:write',
    path: contentIdPath,
    headers: ifMatchHeader,
    successStatus: 204,
    problems: ['CONTENT_NOT_FOUND', 'PRECONDITION_FAILED'],
    tables: { ...admission, content: ['GetItem', 'UpdateItem', 'DeleteItem'] },
    entry: 'functions/handlers/delete-content.ts',
  },
  usage: {
    method: 'GET',
    paths: ['/v1/usage'],
    summary: 'The key, its limits and its requests of the last 24 hours',
    tag: 'Usage',
    successStatus: 200,
    response: UsageReport,
    problems: [],
    tables: { ...admission, usage: ['UpdateItem', 'Query'] },
    entry: 'functions/handlers/usage.ts',
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointId = keyof typeof endpoints;

/** Whether a row declares input besides the path, which is then read and validated. */
export const declaresInput = ({ query, headers, body }: Pick<Endpoint, 'query' | 'headers' | 'body'>): boolean =>
  query !== undefined || headers !== undefined || body !== undefined;

/** Serves every path and method without a row: 404 or 405 with a valid key, 401 without. */
export const fallback = {
  route: '$default',
  tables: admission,
  entry: 'functions/handlers/not-found.ts',
} as const;
