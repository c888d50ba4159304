import { describe, expect, it } from '@jest/globals';
import { generateKey, KEY_KINDS, PROBE_ID_PREFIX, parseApiKey } from '../../../core/access/api-key.ts';
import { FULL, PROD, resourcesOf, type Template } from './templates.ts';

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

// functions.test.ts has its permission: to put records with this prefix.
it.each(KEY_KINDS)('The probe may put the record of a key of the kind %s only if that is probe', (kind) => {
  expect(parseApiKey(generateKey(kind))?.id.startsWith(PROBE_ID_PREFIX)).toBe(kind === 'probe');
});
