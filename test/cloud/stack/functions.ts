import { describe, expect, it } from '@jest/globals';
import { LOG_RETENTION_DAYS } from '../../../lib/cloud/stage-schema.ts';
import {
  FULL,
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

  it('log in JSON from level INFO, without lines of Lambda', () => {
    for (const { properties } of endpointFunctions(PROD)) {
      const level = { ApplicationLogLevel: 'INFO', SystemLogLevel: 'WARN' };
      expect(properties.LoggingConfig).toEqual({ LogFormat: 'JSON', ...level, LogGroup: expect.anything() });
    }
  });

  it('have lines of Lambda, DOCS_URL and another processor only if the settings and the context ask for it', async () => {
    const asked = {
      LoggingConfig: { SystemLogLevel: 'INFO' },
      Environment: { Variables: { DOCS_URL: 'https://docs.example.com/vehicles' } },
      Architectures: ['x86_64'],
    };
    for (const { properties } of endpointFunctions(await templateOf(FULL))) expect(properties).toMatchObject(asked);
    for (const { properties } of endpointFunctions(PROD)) {
      expect(properties).not.toHaveProperty('Environment.Variables.DOCS_URL');
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

  it('is for the region and the account of the settings, and protected from deletion where data is kept', async () => {
    const settings = { region: 'eu-west-1', account: '210987654321' };
    const stack = await stackOf({ stage: 'dev', settings: { ...settings, keepsData: true } });
    expect(stack).toMatchObject({ ...settings, terminationProtection: true });
    expect(await stackOf({ stage: 'dev' })).toMatchObject({ terminationProtection: false });
  });

  it('accepts every retention period that CloudWatch Logs offers', () => {
    const forever = 9_999;
    expect(LOG_RETENTION_DAYS).toEqual(retentionDays.filter((days) => days !== forever));
  });
});
