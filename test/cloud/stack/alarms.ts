import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { SERVICE_METRICS } from '../../../lib/cloud/service-metrics.ts';
import { resourcesOf, templateOf } from './synthesised.ts';

const template = templateOf({ stage: 'prod', alarmEmail: 'ops@example.com' });

interface AlarmProperties {
  readonly MetricName: string;
  readonly Namespace: string;
  readonly Threshold: number;
  readonly DatapointsToAlarm: number;
  readonly EvaluationPeriods: number;
  readonly AlarmActions: readonly unknown[];
}

describe('The alarms', () => {
  const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(
    ({ properties }) => properties as unknown as AlarmProperties,
  );

  it('watch errors, latency, throttles and the database', () => {
    expect(
      alarms.map(
        ({ Namespace, MetricName, Threshold, DatapointsToAlarm, EvaluationPeriods }) =>
          `${Namespace} ${MetricName} > ${Threshold}, ${DatapointsToAlarm} of ${EvaluationPeriods} min`,
      ),
    ).toEqual([
      'VehicleVerification/prod ServerErrors > 0.01, 3 of 5 min',
      'VehicleVerification/prod DatabaseFaults > 5, 1 of 1 min',
      'AWS/ApiGateway 5xx > 5, 1 of 1 min',
      'AWS/ApiGateway Latency > 1500, 3 of 5 min',
      'AWS/Lambda Throttles > 0, 1 of 1 min',
      'AWS/DynamoDB ReadThrottleEvents > 5, 3 of 5 min',
      'AWS/DynamoDB WriteThrottleEvents > 5, 3 of 5 min',
      'AWS/DynamoDB ReadThrottleEvents > 5, 3 of 5 min',
      'AWS/DynamoDB ReadThrottleEvents > 5, 3 of 5 min',
      'AWS/DynamoDB ReadThrottleEvents > 5, 3 of 5 min',
      'AWS/DynamoDB WriteThrottleEvents > 5, 3 of 5 min',
    ]);
  });

  it('all tell the topic, which mails whoever is named', () => {
    for (const { AlarmActions } of alarms) expect(AlarmActions).toHaveLength(1);
    template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'ops@example.com' });
  });

  it('watch metrics that the functions count', () => {
    const source = readFileSync('functions/runtime/metrics.ts', 'utf8');
    const counted = [...source.matchAll(/addMetric\('(\w+)'/g)].map(([, name]) => name);
    expect(SERVICE_METRICS.filter((name) => name !== 'ColdStart')).toEqual(counted);
  });
});
