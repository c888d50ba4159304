import { describe, expect, it } from '@jest/globals';
import { PROBE_ID_PREFIX } from '../../../core/access/api-key.ts';
import { DEFAULT_PLANS } from '../../../core/access/plans.ts';
import { readPlans } from '../../../core/stage/plans-schema.ts';
import { endpoints } from '../../../functions/endpoints/table.ts';
import { grantedActions, type HttpFunction } from '../../../functions/http/endpoint-definition.ts';
import { endpoint as notFound } from '../../../functions/not-found/endpoint.ts';
import { EVERY_SETTING } from './stages.ts';
import {
  AUDITED,
  DEV,
  FULL,
  LOADS,
  LOOKUPS,
  logicalName,
  OTHER_LOADS,
  PROD,
  permissionsIn,
  type Resource,
  resourcesOf,
  SERVING,
  servingFunctions,
  stacks,
  statementsOf,
  type Template,
} from './templates.ts';

/** The functions of a stage, the probe too, each with its environment. */
const environmentsOf = (template: Template) =>
  resourcesOf(template, 'AWS::Lambda::Function').map(({ id, Properties: { Environment } }) => ({
    name: id.replace(/Function[0-9A-F]{8}$/, ''),
    variables: (Environment as { readonly Variables: Readonly<Record<string, unknown>> }).Variables,
  }));

describe('The functions', () => {
  it.each([
    [PROD, 'arm64', undefined],
    [FULL, 'x86_64', 'https://docs.example.com/vehicles'],
  ])(
    'have 10 seconds, the processor of the context, docsUrl, and the lines in which the metrics are: %#',
    (template, processor, docs) => {
      expect(servingFunctions(template)).toHaveLength(SERVING.length);
      for (const { Properties } of servingFunctions(template)) {
        expect(Properties).toMatchObject({
          Timeout: 10,
          Architectures: [processor],
          LoggingConfig: { LogFormat: 'JSON', ApplicationLogLevel: 'INFO' },
          Environment: { Variables: { POWERTOOLS_METRICS_NAMESPACE: 'VehicleVerification/prod' } },
        });
        expect(Properties).toHaveProperty('Environment.Variables.AWS_ENDPOINT_URL_DYNAMODB', '');
      }
      const addresses = environmentsOf(template).filter(({ name }) => name !== 'Probe');
      expect([...new Set(addresses.map(({ variables }) => variables.DOCS_URL))]).toEqual([docs]);
    },
  );

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

  it('are exactly what its endpoint, auth and its log need', () => {
    const permissions = (id: string, lines: readonly string[]) => ({
      id,
      permissions: [...lines, `${id}Logs logs:CreateLogStream`, `${id}Logs logs:PutLogEvents`].sort(),
    });
    const granted = Object.entries<HttpFunction>({ ...endpoints, 'not-found': notFound });
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
      ...granted.map(([id, endpoint]) => {
        const onTables = Object.entries(grantedActions(endpoint)).flatMap(([table, names]) =>
          names.map((name) => `${table} dynamodb:${name}`),
        );
        return permissions(logicalName(id), onTables);
      }),
      permissions('Probe', [`keys dynamodb:PutItem if ${JSON.stringify(ownKeys)}`]),
    ]);
    expect(resourcesOf(PROD, 'AWS::IAM::Policy')).toEqual([]);
  });

  it('are in no managed policy', () => {
    for (const { Properties } of roles) expect(Properties.ManagedPolicyArns).toBeUndefined();
  });
});

it('Each role is assumed by one service, for resources of this account only', () => {
  const serviceOf = (id: string) => {
    if (/^(IntakeStart|Audit)/.test(id)) return 'events';
    return id.startsWith('Intake') ? 'codebuild' : 'lambda';
  };
  for (const { id, Properties } of [LOADS, AUDITED].flatMap((template) => resourcesOf(template, 'AWS::IAM::Role'))) {
    const trusted = {
      Action: 'sts:AssumeRole',
      Effect: 'Allow',
      Principal: { Service: `${serviceOf(id)}.amazonaws.com` },
      Condition: { StringEquals: { 'aws:SourceAccount': '123456789012' } },
    };
    expect({ id, ...(Properties.AssumeRolePolicyDocument as object) }).toMatchObject({ id, Statement: [trusted] });
  }
});

describe('The probe', () => {
  it('requests the address of the API, or its custom domain', () => {
    const [api] = resourcesOf(PROD, 'AWS::ApiGatewayV2::Api');
    const originIn = (template: Template) =>
      environmentsOf(template).flatMap(({ variables }) => variables.PROBED_ORIGIN ?? []);
    expect(originIn(PROD)).toEqual([{ 'Fn::GetAtt': [api?.id, 'ApiEndpoint'] }]);
    expect(originIn(FULL)).toEqual(['https://api.example.com']);
  });

  it('runs every minute, for less than a minute, is never retried, and emits its metrics where the alarm reads them', () => {
    const [rule] = resourcesOf(PROD, 'AWS::Events::Rule');
    const probe = resourcesOf(PROD, 'AWS::Lambda::Function').find(({ id }) => id.startsWith('Probe'));
    const Targets = [{ Arn: { 'Fn::GetAtt': [probe?.id, 'Arn'] }, RetryPolicy: { MaximumRetryAttempts: 0 } }];
    expect(rule?.Properties).toMatchObject({ ScheduleExpression: 'rate(1 minute)', Targets });
    expect(resourcesOf(PROD, 'AWS::Lambda::EventInvokeConfig')).toMatchObject([
      { Properties: { FunctionName: { Ref: probe?.id }, MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 } },
    ]);
    expect(probe?.Properties.Timeout).toBeLessThan(60);
    const Variables = { POWERTOOLS_METRICS_NAMESPACE: 'VehicleVerification/prod' };
    expect(probe?.Properties).toMatchObject({ Environment: { Variables } });
  });
});

it('The plans are those of the setting, otherwise the default ones, for functions and the command line', () => {
  const { plans } = EVERY_SETTING.settings;
  const ofCommandLine = ({ Outputs }: Template) => readPlans(String(Outputs.Plans?.Value));
  const ofFunctions = (template: Template) => {
    const serving = environmentsOf(template).filter(({ name }) => name !== 'Probe');
    return [...new Set(serving.map(({ variables }) => variables.PLANS))];
  };
  expect(ofCommandLine(FULL)).toEqual(plans);
  expect(ofFunctions(FULL)).toEqual([JSON.stringify(plans)]);
  expect(ofCommandLine(PROD)).toEqual(DEFAULT_PLANS);
  expect(ofFunctions(PROD)).toEqual([undefined]);
});

it('The checks that count are those of the setting, for functions and the command line', () => {
  const serving = environmentsOf(FULL).filter(({ name }) => name !== 'Probe');
  expect([...new Set(serving.map(({ variables }) => variables.CHECKS))]).toEqual(['insurance,mot']);
  expect(FULL.Outputs.Checks?.Value).toBe('insurance,mot');
  expect(environmentsOf(PROD).filter(({ variables }) => 'CHECKS' in variables)).toEqual([]);
});

it('The functions of lookups, and no others, know the suppliers that the intake expects, with the shortest time of each in hours', () => {
  const suppliersIn = (template: Template) =>
    environmentsOf(template).flatMap(({ name, variables: { SUPPLIERS } }) => (SUPPLIERS ? `${name} ${SUPPLIERS}` : []));
  expect(suppliersIn(LOADS).sort()).toEqual(LOOKUPS.map((name) => `${name} {"acme":26}`));
  expect(suppliersIn(OTHER_LOADS).sort()).toEqual(LOOKUPS.map((name) => `${name} {"-":26}`));
  expect(suppliersIn(PROD)).toEqual([]);
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
    ...['AWS::ApiGatewayV2::Api', 'AWS::IAM::Role', 'AWS::CloudWatch::Alarm'],
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
