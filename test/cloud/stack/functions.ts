import { describe, expect, it } from '@jest/globals';
import { LOG_RETENTION_DAYS } from '../../../lib/cloud/stage-file.ts';
import {
  type Resource,
  resourcesOf,
  retentionDays,
  SERVING,
  stackOf,
  type Template,
  templateOf,
} from './synthesised.ts';

const PROD = await templateOf({ stage: 'prod' });
const DEV = await templateOf({ stage: 'dev' });

const endpointFunctions = (template: Template): Resource[] =>
  resourcesOf(template, 'AWS::Lambda::Function').filter(({ id }) => !id.startsWith('Probe'));

describe('The functions', () => {
  it('run on Node 24 and arm64 with a timeout of 10 s', () => {
    const functions = endpointFunctions(PROD);
    expect(functions).toHaveLength(SERVING.length);
    for (const { properties } of functions) {
      expect(properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Timeout: 10,
        Environment: {
          Variables: {
            AWS_ENDPOINT_URL_DYNAMODB: '',
            POWERTOOLS_METRICS_NAMESPACE: 'VehicleVerification/prod',
          },
        },
      });
    }
  });

  it('have the memory that their requests need', () => {
    const memoryOf = (functionId: string) =>
      endpointFunctions(PROD).find(({ id }) => id.startsWith(functionId.replaceAll('-', '')))?.properties.MemorySize;
    expect(['vehicle-insurance', 'bulk-insurance', 'create-content', 'not-found'].map(memoryOf)).toEqual([
      1_280, 1_280, 1_024, 512,
    ]);
  });

  it.each([
    [undefined, 'WARN'],
    [true, 'INFO'],
  ] as const)(
    'log in JSON from level INFO, without lines of Lambda unless the settings ask: %s, %s',
    async (lambdaSystemLogs, level) => {
      const template = lambdaSystemLogs ? await templateOf({ stage: 'prod', settings: { lambdaSystemLogs } }) : PROD;
      for (const { properties } of endpointFunctions(template)) {
        expect(properties.LoggingConfig).toEqual({
          LogFormat: 'JSON',
          ApplicationLogLevel: 'INFO',
          SystemLogLevel: level,
          LogGroup: expect.anything(),
        });
      }
    },
  );

  it('have DOCS_URL only if the settings have docsUrl', async () => {
    const docsUrl = 'https://docs.example.com/vehicles';
    const template = await templateOf({ stage: 'prod', settings: { docsUrl } });
    const variables = { Environment: { Variables: { DOCS_URL: docsUrl } } };
    for (const { properties } of endpointFunctions(template)) expect(properties).toMatchObject(variables);
    for (const { properties } of endpointFunctions(PROD)) expect(properties).not.toMatchObject(variables);
  });

  it('run on x86_64 when the context asks for it', async () => {
    const template = await templateOf({ stage: 'dev', architecture: 'x86_64' });
    for (const { properties } of resourcesOf(template, 'AWS::Lambda::Function')) {
      expect(properties.Architectures).toEqual(['x86_64']);
    }
  });

  it.each([
    ['prod', PROD, 90, 'RetainExceptOnCreate'],
    ['dev', DEV, 7, 'Delete'],
  ])('and the gateway retain their logs: %s', (_stage, template, days, policy) => {
    const groups = resourcesOf(template, 'AWS::Logs::LogGroup');
    // One of each function, of the probe and of the gateway.
    expect(groups).toHaveLength(SERVING.length + 2);
    expect(new Set(groups.map(({ properties }) => properties.RetentionInDays))).toEqual(new Set([days]));
    expect(new Set(groups.map(({ deletionPolicy }) => deletionPolicy))).toEqual(new Set([policy]));
  });
});

describe('A deployment', () => {
  it('has at most 150 resources in prod', () => {
    expect(Object.keys(PROD.Resources).length).toBeLessThanOrEqual(150);
  });

  it('outputs its address, stage and table names', () => {
    expect(Object.keys(PROD.Outputs)).toEqual([
      'BaseAddress',
      'Stage',
      'KeepsData',
      'KeysTable',
      'UsageTable',
      'VehiclesTable',
      'ComplianceTable',
      'ContentTable',
      'Commit',
      'OperatorPolicy',
    ]);
  });

  it('is for the region and the account of the settings, or for any account without one', async () => {
    expect(await stackOf({ stage: 'dev', settings: { region: 'eu-west-1', account: '210987654321' } })).toMatchObject({
      region: 'eu-west-1',
      account: '210987654321',
    });
  });

  it.each([
    ['dev', true],
    ['prod', true],
    ['dev', false],
    ['prod', false],
  ] as const)('is protected from deletion if and only if data is kept: %s, %s', async (stage, keepsData) => {
    const settings = { keepsData };
    expect(await stackOf({ stage, settings })).toMatchObject({ terminationProtection: keepsData });
    const tables = resourcesOf(await templateOf({ stage, settings }), 'AWS::DynamoDB::GlobalTable');
    expect(new Set(tables.map(({ deletionPolicy }) => deletionPolicy))).toEqual(
      new Set([keepsData ? 'Retain' : 'Delete']),
    );
  });

  it('accepts every retention period that CloudWatch Logs offers', () => {
    const forever = 9_999;
    expect(LOG_RETENTION_DAYS).toEqual(retentionDays.filter((days) => days !== forever));
  });
});
