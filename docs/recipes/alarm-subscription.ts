import { Validations } from 'aws-cdk-lib';
import { UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { ServiceStack } from '../../lib/cloud/service-stack.ts';

/**
 * Sends each alarm to a service for on-call teams.
 * @param address `https://…`, as that service gives it for Amazon SNS
 * @example
 * import { addAlarmSubscription } from '../docs/recipes/alarm-subscription.ts';
 *
 * addAlarmSubscription(service, 'https://events.example.com/KEY');
 */
export const addAlarmSubscription = ({ alarms: { topic } }: ServiceStack, address: string): void => {
  topic.addSubscription(new UrlSubscription(address));
  const reason = 'SNS repeats a delivery that fails for an hour. The dashboard shows the alarm in any case.';
  Validations.of(topic).acknowledge({ id: 'Serverless-SNSRedrivePolicy', reason });
};
