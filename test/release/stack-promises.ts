/** What operators rely on, one promise a line: what a deployment must not replace, and what a running version needs. */
import { endpoints } from '../../functions/endpoints/table.ts';
import { grantedActions, type ServedEndpoint } from '../../functions/http/endpoint.ts';
import { endpoint as notFound } from '../../functions/not-found/endpoint.ts';

/** Of a CloudFormation template, what promises are made from. */
export interface StackTemplate {
  readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
}

/**
 * CloudFormation replaces what has another type or logical id: an empty table, logs that begin again, another address of the API,
 * an alias or a route that cannot be created because the old one still has its name, subscriptions that nobody confirmed.
 */
const KEPT = [
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Route',
  'AWS::DynamoDB::GlobalTable',
  'AWS::DynamoDB::Table',
  'AWS::Lambda::Alias',
  'AWS::Lambda::Function',
  'AWS::Logs::LogGroup',
  'AWS::SNS::Topic',
];

type Row = Pick<ServedEndpoint, 'tables'>;

/** The actions of each function. Its versions share a role: without an action the released one fails until it is replaced. */
const actionLines = (rows: Readonly<Record<string, Row>>): string[] =>
  Object.entries(rows).flatMap(([id, row]) =>
    Object.entries(grantedActions(row)).flatMap(([table, actions]) =>
      actions.map((action) => `${id}: ${table} ${action}`),
    ),
  );

/** The promises of a template and of a table of endpoints, in no order. */
export const stackPromises = (
  { Resources }: StackTemplate,
  rows: Readonly<Record<string, Row>> = { ...endpoints, 'not-found': notFound },
): string[] => [
  ...Object.entries(Resources)
    .filter(([, { Type }]) => KEPT.includes(Type))
    .map(([id, { Type }]) => `${Type} ${id}`),
  ...actionLines(rows),
];
