import { describe, expect, it } from '@jest/globals';
import { generateKey, KEY_KINDS, parseApiKey } from '../../../core/access/api-key.ts';
import { FULL, PROD, referenced, resourcesOf, statementsOf, type Template, tableNamed } from './templates.ts';

const probeOf = (template: Template) =>
  resourcesOf(template, 'AWS::Lambda::Function').find(({ id }) => id.startsWith('Probe'));
const probe = probeOf(PROD);

describe('The probe', () => {
  it('requests the address of the API, or its custom domain', () => {
    const [api] = resourcesOf(PROD, 'AWS::ApiGatewayV2::Api');
    const requesting = (origin: unknown) => ({ Environment: { Variables: { PROBED_ORIGIN: origin } } });
    expect(probe?.Properties).toMatchObject(requesting({ 'Fn::GetAtt': [api?.id, 'ApiEndpoint'] }));
    expect(probeOf(FULL)?.Properties).toMatchObject(requesting('https://api.example.com'));
  });

  it('runs every minute, for less than a minute, is never retried, and emits its metrics where the alarm reads them', () => {
    const [rule] = resourcesOf(PROD, 'AWS::Events::Rule');
    expect(rule?.Properties).toMatchObject({
      ScheduleExpression: 'rate(1 minute)',
      State: 'ENABLED',
      Targets: [{ Arn: { 'Fn::GetAtt': [probe?.id, 'Arn'] }, RetryPolicy: { MaximumRetryAttempts: 0 } }],
    });
    expect(resourcesOf(PROD, 'AWS::Lambda::EventInvokeConfig')).toMatchObject([
      { Properties: { FunctionName: { Ref: probe?.id }, MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 } },
    ]);
    expect(probe?.Properties.Timeout).toBeLessThan(60);
    const Variables = { POWERTOOLS_METRICS_NAMESPACE: 'VehicleVerification/prod' };
    expect(probe?.Properties).toMatchObject({ Environment: { Variables } });
  });
});

describe('The role of the probe', () => {
  const role = PROD.Resources[referenced(probe?.Properties.Role)];
  const keys = role && statementsOf(role).find(({ Action }) => Action === 'dynamodb:PutItem');

  // functions.test.ts has its actions.
  it('may put items into the keys table on one condition', () => {
    expect(tableNamed(referenced(keys?.Resource))).toBe('keys');
    expect(keys?.Condition).toEqual({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [expect.any(String)] },
      // A request without the condition key would pass `ForAllValues`.
      Null: { 'dynamodb:LeadingKeys': 'false' },
    });
  });

  it.each(KEY_KINDS)('may put the record of a key of the kind %s only if that is probe', (kind) => {
    const condition = keys?.Condition as { 'ForAllValues:StringLike': Record<string, string[]> } | undefined;
    const [pattern = ''] = condition?.['ForAllValues:StringLike']['dynamodb:LeadingKeys'] ?? [];
    // In IAM `*` is any text.
    const isPermitted = new RegExp(`^${pattern.split('*').map(RegExp.escape).join('.*')}$`);
    expect(isPermitted.test(parseApiKey(generateKey(kind))?.id ?? '')).toBe(kind === 'probe');
  });
});
