import { describe, expect, it } from '@jest/globals';
import { resourcesOf, templateOf } from './synthesised.ts';

const PROD = await templateOf({ stage: 'prod' });
const DEV = await templateOf({ stage: 'dev' });

describe('The functions', () => {
  it('run on Node 24 and arm64 with a timeout of 10 s', () => {
    const functions = resourcesOf(PROD, 'AWS::Lambda::Function');
    expect(functions).toHaveLength(11);
    for (const { properties } of functions) {
      expect(properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        MemorySize: 512,
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

  it('run on x86_64 when the context asks for it', async () => {
    const template = await templateOf({ stage: 'dev', architecture: 'x86_64' });
    const [first] = resourcesOf(template, 'AWS::Lambda::Function');
    expect(first?.properties.Architectures).toEqual(['x86_64']);
  });

  it.each([
    ['prod', PROD, 90, 'Retain'],
    ['dev', DEV, 7, 'Delete'],
  ])('and the gateway retain their logs: %s', (_stage, template, days, policy) => {
    const groups = resourcesOf(template, 'AWS::Logs::LogGroup');
    expect(groups).toHaveLength(12);
    expect(new Set(groups.map(({ properties }) => properties.RetentionInDays))).toEqual(new Set([days]));
    expect(new Set(groups.map(({ deletionPolicy }) => deletionPolicy))).toEqual(new Set([policy]));
  });
});

describe('A deployment', () => {
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
    ]);
  });

  it.each([
    [{}, /Name the stage/],
    [{ stage: 'Prod!' }, /Name the stage/],
    [{ stage: 'dev', architecture: 'mips' }, /arm64/],
    [{ stage: 'dev', domainName: 'api.example.com' }, /given together/],
  ])('rejects invalid settings: %j', async (context, sentence) => {
    await expect(templateOf(context as Record<string, string>)).rejects.toThrow(sentence);
  });
});
