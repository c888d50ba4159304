/**
 * What operators rely on, one promise per line: the resources that a deployment must not replace, and the permissions
 * of running versions.
 */
import { endpoints } from '../../../functions/endpoints/table.ts';
import { grantedActions, type HttpFunction } from '../../../functions/http/endpoint-definition.ts';
import { endpoint as jwks } from '../../../functions/jwks/endpoint.ts';
import { endpoint as notFound } from '../../../functions/not-found/endpoint.ts';
import type { Template } from '../stack/templates.ts';

/** With it a stage has every kind of resource that is kept. */
export const SIGNED_ANSWERS = { issuer: 'https://api.example.com', keys: ['2026', '2025'] };

/**
 * CloudFormation replaces a resource whose type or logical id changes. That would mean an empty table, a new log group,
 * another API address, answers that cannot be verified, an empty bucket, unconfirmed subscriptions, or a failed update,
 * because the old alias or route still has the name.
 */
const KEPT = [
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Route',
  'AWS::DynamoDB::GlobalTable',
  'AWS::DynamoDB::Table',
  'AWS::KMS::Key',
  'AWS::Lambda::Alias',
  'AWS::Lambda::Function',
  'AWS::Logs::LogGroup',
  'AWS::S3::Bucket',
  'AWS::SNS::Topic',
];

/**
 * The actions of each function. All versions share its role: if an action is removed, the released version fails until
 * it is replaced.
 */
const actionLines = (): string[] =>
  Object.entries<HttpFunction>({ ...endpoints, jwks, 'not-found': notFound }).flatMap(([id, endpoint]) =>
    [...Object.entries(grantedActions(endpoint)), ['signing keys', endpoint.signing ?? []] as const].flatMap(
      ([of, actions]) => actions.map((action) => `${id}: ${of} ${action}`),
    ),
  );

/** The promises of a template and of the table of endpoints, unsorted. */
export const stackPromises = ({ Resources }: Pick<Template, 'Resources'>): string[] => [
  ...Object.entries(Resources)
    .filter(([, { Type }]) => KEPT.includes(Type))
    .map(([id, { Type }]) => `${Type} ${id}`),
  ...actionLines(),
];
