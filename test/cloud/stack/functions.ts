import { describe, expect, it } from '@jest/globals';
import { resourcesOf, templateOf } from './synthesised.ts';

const PROD = templateOf({ stage: 'prod' });
const DEV = templateOf({ stage: 'dev' });

describe('The functions', () => {
  it('run on Node 24 and arm64, within the time in which they answer by themselves', () => {
    const functions = resourcesOf(PROD, 'AWS::Lambda::Function');
    expect(functions).toHaveLength(9);
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

  it('run on the architecture of the host where that is asked for', () => {
    const [first] = resourcesOf(templateOf({ stage: 'dev', architecture: 'x86_64' }), 'AWS::Lambda::Function');
    expect(first?.properties.Architectures).toEqual(['x86_64']);
  });

  it.each([
    ['prod', PROD, 90, 'Retain'],
    ['dev', DEV, 7, 'Delete'],
  ])('keep their logs, and so does the gateway: %s', (_stage, template, days, policy) => {
    const groups = resourcesOf(template, 'AWS::Logs::LogGroup');
    expect(groups).toHaveLength(10);
    expect(new Set(groups.map(({ properties }) => properties.RetentionInDays))).toEqual(new Set([days]));
    expect(new Set(groups.map(({ deletionPolicy }) => deletionPolicy))).toEqual(new Set([policy]));
  });
});

describe('A deployment', () => {
  it('tells where it is', () => {
    expect(Object.keys(PROD.findOutputs('*'))).toEqual([
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
    [{ stage: 'dev', domainName: 'api.example.com' }, /go together/],
  ])('refuses settings that make no sense: %j', (context, sentence) => {
    expect(() => templateOf(context as Record<string, string>)).toThrow(sentence);
  });
});
