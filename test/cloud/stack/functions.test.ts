import { describe, expect, it } from '@jest/globals';
import { PROBE_ID_PREFIX } from '../../../core/access/api-key.ts';
import { endpoints } from '../../../functions/endpoints/table.ts';
import type { Endpoint } from '../../../functions/http/endpoint-definition.ts';
import {
  DEV,
  FULL,
  logicalName,
  PROD,
  permissionsIn,
  type Resource,
  resourcesOf,
  SERVING,
  servingFunctions,
  stacks,
  statementsOf,
} from './templates.ts';

describe('The functions', () => {
  it('run on Node 24 and arm64 with a timeout of 10 s, and log in JSON from level INFO, without lines of Lambda', () => {
    expect(servingFunctions(PROD)).toHaveLength(SERVING.length);
    for (const { Properties } of servingFunctions(PROD)) {
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Timeout: 10,
        LoggingConfig: { LogFormat: 'JSON', ApplicationLogLevel: 'INFO', SystemLogLevel: 'WARN' },
        Environment: {
          Variables: { AWS_ENDPOINT_URL_DYNAMODB: '', POWERTOOLS_METRICS_NAMESPACE: 'VehicleVerification/prod' },
        },
      });
      expect(Properties).not.toHaveProperty('Environment.Variables.DOCS_URL');
    }
  });

  it('have lines of Lambda, DOCS_URL and another processor if the settings and the context ask for it', () => {
    for (const { Properties } of servingFunctions(FULL)) {
      expect(Properties).toMatchObject({
        LoggingConfig: { SystemLogLevel: 'INFO' },
        Environment: { Variables: { DOCS_URL: 'https://docs.example.com/vehicles' } },
        Architectures: ['x86_64'],
      });
    }
  });

  it.each([
    ['prod', PROD, 90, 'RetainExceptOnCreate'],
    ['dev', DEV, 7, 'Delete'],
  ])('and the gateway retain their logs: %s', (_stage, template, days, policy) => {
    const groups = resourcesOf(template, 'AWS::Logs::LogGroup');
    // One of each function, of the probe and of the gateway.
    expect(groups.map(({ Properties, DeletionPolicy }) => [Properties.RetentionInDays, DeletionPolicy])).toEqual(
      [...SERVING, 'probe', 'gateway'].map(() => [days, policy]),
    );
  });
});

describe('The permissions of each function', () => {
  /** Those of the functions, the probe's included. */
  const roles = resourcesOf(PROD, 'AWS::IAM::Role').filter(({ id }) => !id.startsWith('Deployment'));

  it('are exactly what its endpoint, admission and its log need', () => {
    const permissions = (id: string, lines: readonly string[]) => ({
      id,
      permissions: [...lines, `${id}Logs logs:CreateLogStream`, `${id}Logs logs:PutLogEvents`].sort(),
    });
    const notFound = { id: 'not-found', tables: {} };
    const granted: readonly Pick<Endpoint, 'id' | 'tables'>[] = [...Object.values(endpoints), notFound];
    const ofRoles = roles.map((role) => ({
      id: role.id.replace(/Role[0-9A-F]{8}$/, ''),
      permissions: permissionsIn(statementsOf(role)),
    }));
    // `Null`, because a request without the condition key would pass `ForAllValues`.
    const ownKeys = {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${PROBE_ID_PREFIX}*`] },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    };
    expect(ofRoles).toEqual([
      ...granted.map(({ id, tables: { usage = [], ...others } }) => {
        // Admission reads the key and counts the request.
        const actions = { keys: ['GetItem'], usage: ['UpdateItem', ...usage], ...others };
        const onTables = Object.entries(actions).flatMap(([table, names]) =>
          names.map((name) => `${table} dynamodb:${name}`),
        );
        return permissions(logicalName(id), onTables);
      }),
      permissions('Probe', [`keys dynamodb:PutItem if ${JSON.stringify(ownKeys)}`]),
    ]);
    expect(resourcesOf(PROD, 'AWS::IAM::Policy')).toEqual([]);
  });

  it('include no managed policy, and only Lambda can assume the roles', () => {
    for (const { Properties } of roles) {
      expect(Properties.ManagedPolicyArns).toBeUndefined();
      expect(Properties.AssumeRolePolicyDocument).toMatchObject({
        Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } }],
      });
    }
  });
});

describe('The stack', () => {
  it('outputs its address, stage and table names', () => {
    const tables = ['KeysTable', 'UsageTable', 'VehiclesTable', 'ComplianceTable', 'ContentTable'];
    const outputs = ['BaseAddress', 'Stage', 'Plans', 'KeepsData', ...tables, 'Commit', 'AlarmTopic'];
    const policies = ['OperatorPolicy', 'KeysPolicy', 'LoadsPolicy', 'SupportPolicy', 'OnCallPolicy'];
    expect(Object.keys(PROD.Outputs)).toEqual([...outputs, ...policies]);
  });

  it('is for the region and the account of the settings, and protected from deletion where data is kept', () => {
    const settings = { region: 'eu-west-1', account: '210987654321' };
    expect(stacks.kept).toMatchObject({ ...settings, terminationProtection: true });
    expect(stacks.dev).toMatchObject({ terminationProtection: false });
  });
});

it('The stack is deployed by the bootstrap that the settings name, otherwise by the one of the CDK', () => {
  const versionOf = (template: object) => /cdk-bootstrap\/(\w+)\/version/.exec(JSON.stringify(template))?.[1];
  expect(versionOf(stacks.kept.template)).toBe('kept');
  expect(versionOf(PROD)).toBe('hnb659fds');
});

describe('The tags', () => {
  /** A table has the permissions of its replicas. */
  const tagsOf = ({ Properties: { Tags, Replicas } }: Resource) => JSON.stringify([Tags, Replicas]);

  // OnCallPolicy permits changes by them.
  it.each([
    ...['AWS::DynamoDB::GlobalTable', 'AWS::Lambda::Function', 'AWS::Logs::LogGroup', 'AWS::SNS::Topic'],
    ...['AWS::ApiGatewayV2::Api', 'AWS::IAM::Role', 'AWS::KMS::Key', 'AWS::CloudWatch::Alarm'],
  ])('name service, stage and owner: %s', (type) => {
    const resources = resourcesOf(FULL, type);
    expect(resources).not.toEqual([]);
    for (const tag of ['"vehicle-verification"', '"prod"', '"Team Vehicles"']) {
      for (const resource of resources) expect(tagsOf(resource)).toContain(tag);
    }
  });

  it('name no owner when the settings have none', () => {
    expect(Object.values(PROD.Resources).filter((resource) => tagsOf(resource).includes('owner'))).toEqual([]);
  });
});
