import { describe, expect, it } from '@jest/globals';
import { endpoints } from '../../../functions/endpoints/table.ts';
import type { Endpoint } from '../../../functions/http/endpoint-definition.ts';
import {
  DEV,
  FULL,
  logicalName,
  PROD,
  type Resource,
  referenced,
  resourcesOf,
  SERVING,
  type Statement,
  servingFunctions,
  stacks,
  statementsOf,
  tableNamed,
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

  /** `Allow keys GetItem` of each resource and action. */
  const permissionsOf = ({ Effect, Action, Resource }: Statement): string[] =>
    [Resource].flat().flatMap((resource) => {
      const name = tableNamed(referenced(resource)).replace(/^.*Logs[0-9A-F]{8}$/, 'own log');
      return [Action].flat().map((action) => `${Effect} ${name} ${action.replace('dynamodb:', '')}`);
    });
  const describeRole = (role: Resource & { readonly id: string }) => ({
    id: role.id.replace(/Role[0-9A-F]{8}$/, ''),
    permissions: statementsOf(role).flatMap(permissionsOf).sort(),
  });

  it('are exactly what its endpoint, admission and its log need', () => {
    const ownLog = ['Allow own log logs:CreateLogStream', 'Allow own log logs:PutLogEvents'];
    const notFound = { id: 'not-found', tables: {} };
    const granted: readonly Pick<Endpoint, 'id' | 'tables'>[] = [...Object.values(endpoints), notFound];
    expect(roles.map(describeRole)).toEqual([
      ...granted.map(({ id, tables: { usage = [], ...others } }) => {
        // Admission reads the key and counts the request.
        const actions = { keys: ['GetItem'], usage: ['UpdateItem', ...usage], ...others };
        const onTables = Object.entries(actions).flatMap(([table, names]) =>
          names.map((name) => `Allow ${table} ${name}`),
        );
        return { id: logicalName(id), permissions: [...onTables, ...ownLog].sort() };
      }),
      // probe.test.ts has the condition: only records of its own keys.
      { id: 'Probe', permissions: ['Allow keys PutItem', ...ownLog] },
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
