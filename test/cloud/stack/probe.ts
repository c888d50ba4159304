import { describe, expect, it } from '@jest/globals';
import { generateKey, KEY_KINDS, parseApiKey } from '../../../core/access/api-key.ts';
import {
  type Resource,
  referenced,
  resourcesOf,
  SERVING,
  type Template,
  tableNamed,
  templateOf,
} from './synthesised.ts';

const PROD = await templateOf({ stage: 'prod', settings: { alarmEmail: 'ops@example.com' } });

const probeOf = (template: Template): Resource | undefined =>
  resourcesOf(template, 'AWS::Lambda::Function').find(({ id }) => id.startsWith('Probe'));
const probe = probeOf(PROD);
const variablesOf = (template: Template) =>
  (probeOf(template)?.properties.Environment as { readonly Variables: Record<string, unknown> } | undefined)?.Variables;

/** The logical ids to which a part of a template refers. The CDK writes no other form than these two. */
const referencesIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const { Ref, 'Fn::GetAtt': attribute } = value as { readonly Ref?: string; readonly 'Fn::GetAtt'?: string[] };
  return [Ref ?? [], attribute?.[0] ?? [], ...Object.values(value).map(referencesIn)].flat();
};

const needed = new Map(
  Object.entries(PROD.Resources).map(([id, { DependsOn = [], ...resource }]) => [
    id,
    [...DependsOn, ...referencesIn(resource)],
  ]),
);

/** Every resource that CloudFormation creates or updates before this one. */
const earlierThan = (id: string, found = new Set<string>()): ReadonlySet<string> => {
  for (const name of needed.get(id) ?? []) if (!found.has(name)) earlierThan(name, found.add(name));
  return found;
};

const idsOf = (type: string) => resourcesOf(PROD, type).map(({ id }) => id);

describe('The order of a deployment', () => {
  it('has no circle', () => {
    expect([...needed.keys()].filter((id) => earlierThan(id).has(id))).toEqual([]);
    expect(JSON.stringify(PROD.Resources)).not.toContain('Fn::Sub');
  });

  it('updates the probe after the alias of every function, and these after Unreachable', () => {
    const aliases = idsOf('AWS::Lambda::Alias');
    expect(aliases).toHaveLength(SERVING.length);
    expect([...earlierThan(probe?.id ?? '')]).toEqual(expect.arrayContaining(aliases));
    expect(probe?.dependsOn).toEqual(expect.arrayContaining(aliases));
    const [unreachable] = idsOf('AWS::CloudWatch::Alarm').filter((id) => id.startsWith('AlarmsUnreachable'));
    expect([...earlierThan(unreachable ?? '')].filter((id) => id.startsWith('Probe'))).toEqual([]);
  });

  it('makes the subscription of alarmEmail last, when the probe has its schedule', () => {
    const [subscription] = idsOf('AWS::SNS::Subscription');
    const [rule] = idsOf('AWS::Events::Rule');
    expect([...earlierThan(subscription ?? '')]).toEqual(expect.arrayContaining([probe?.id, rule]));
  });
});

describe('The probe', () => {
  it('requests the address of the API, or its custom domain', async () => {
    const [api] = idsOf('AWS::ApiGatewayV2::Api');
    expect(variablesOf(PROD)?.PROBED_ORIGIN).toEqual({ 'Fn::GetAtt': [api, 'ApiEndpoint'] });
    const domain = { name: 'api.example.com', certificateArn: 'arn:aws:acm:eu-west-2:123456789012:certificate/1' };
    const mapped = await templateOf({ stage: 'prod', settings: { domain } });
    expect(variablesOf(mapped)?.PROBED_ORIGIN).toBe('https://api.example.com');
  });

  it('runs every minute, for less than a minute, and is never retried', () => {
    const [rule] = resourcesOf(PROD, 'AWS::Events::Rule');
    expect(rule?.properties).toMatchObject({
      ScheduleExpression: 'rate(1 minute)',
      State: 'ENABLED',
      Targets: [{ Arn: { 'Fn::GetAtt': [probe?.id, 'Arn'] }, RetryPolicy: { MaximumRetryAttempts: 0 } }],
    });
    const [configuration] = resourcesOf(PROD, 'AWS::Lambda::EventInvokeConfig');
    expect(configuration?.properties).toMatchObject({
      FunctionName: { Ref: probe?.id },
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    });
    expect(probe?.properties.Timeout).toBeLessThan(60);
  });

  it('raises Unreachable by a metric in the namespace of the service, and when it has no data', () => {
    const [unreachable] = resourcesOf(PROD, 'AWS::CloudWatch::Alarm').filter(({ id }) => /^AlarmsUnreachable/.test(id));
    expect(unreachable?.properties).toMatchObject({
      Namespace: variablesOf(PROD)?.POWERTOOLS_METRICS_NAMESPACE,
      MetricName: 'ProbeFailures',
      Dimensions: [{ Name: 'service', Value: 'vehicle-verification' }],
      Threshold: 0,
      TreatMissingData: 'breaching',
    });
  });
});

describe('The role of the probe', () => {
  interface Statement {
    readonly Effect: string;
    readonly Action: string | readonly string[];
    readonly Resource: unknown;
    readonly Condition?: unknown;
  }
  const role = PROD.Resources[referenced(probe?.properties.Role)]?.Properties;
  const [access, ...others] = (role?.Policies ?? []) as { PolicyDocument: { Statement: Statement[] } }[];
  const [logs, keys, ...rest] = access?.PolicyDocument.Statement ?? [];
  const patterns = (keys?.Condition as { 'ForAllValues:StringLike'?: Record<string, string[]> } | undefined)?.[
    'ForAllValues:StringLike'
  ]?.['dynamodb:LeadingKeys'];

  /** `StringLike` of IAM: `*` is any text, `?` any character. */
  const isLike = (pattern: string, text: string) =>
    new RegExp(
      `^${pattern
        .replace(/[.+^${}()|[\]\\]/g, '\\$&')
        .replaceAll('*', '.*')
        .replaceAll('?', '.')}$`,
    ).test(text);
  const mayPut = (id: string): boolean => patterns?.some((pattern) => isLike(pattern, id)) ?? true;

  it('may write its log and put items into the keys table, on a condition, and nothing else', () => {
    expect([others, rest, role?.ManagedPolicyArns]).toEqual([[], [], undefined]);
    const attached = resourcesOf(PROD, 'AWS::IAM::Policy').flatMap(({ properties }) => properties.Roles as unknown[]);
    expect(attached.map(referenced)).not.toContain(referenced(probe?.properties.Role));
    expect(logs).toMatchObject({ Effect: 'Allow', Action: ['logs:CreateLogStream', 'logs:PutLogEvents'] });
    expect(keys).toEqual({
      Effect: 'Allow',
      Action: 'dynamodb:PutItem',
      Resource: expect.anything(),
      Condition: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': expect.anything() },
        // A request without the condition key would pass `ForAllValues`.
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    });
    expect(tableNamed(referenced(keys?.Resource))).toBe('keys');
  });

  it.each(KEY_KINDS)('may put the record of a key of the kind %s only if that is probe', (kind) => {
    expect(mayPut(parseApiKey(generateKey(kind))?.id ?? '')).toBe(kind === 'probe');
  });
});
