/** Every endpoint of the API. CONTRIBUTING.md#add-an-endpoint says how to add one. */

import { endpoint as bulkCompliance } from './bulk-compliance/endpoint.ts';
import { endpoint as bulkInsurance } from './bulk-insurance/endpoint.ts';
import { endpoint as compliance } from './compliance/endpoint.ts';
import { endpoint as createContent } from './create-content/endpoint.ts';
import { endpoint as deleteContent } from './delete-content/endpoint.ts';
import { endpoint as listContent } from './list-content/endpoint.ts';
import { endpoint as readContent } from './read-content/endpoint.ts';
import { endpoint as updateContent } from './update-content/endpoint.ts';
import { endpoint as usage } from './usage/endpoint.ts';
import { endpoint as vehicleInsurance } from './vehicle-insurance/endpoint.ts';

const listed = [
  vehicleInsurance,
  bulkInsurance,
  compliance,
  bulkCompliance,
  listContent,
  createContent,
  readContent,
  updateContent,
  deleteContent,
  usage,
] as const;

type Listed = (typeof listed)[number];

export type EndpointId = Listed['id'];

/** The endpoints by id. The document and the CDK stack keep this order. */
export const endpoints = Object.fromEntries(listed.map((endpoint) => [endpoint.id, endpoint])) as {
  readonly [Id in EndpointId]: Extract<Listed, { readonly id: Id }>;
};
