import { type App, Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { CfnAnomalyMonitor, CfnAnomalySubscription } from 'aws-cdk-lib/aws-ce';

export interface CostLimits {
  /** Receives the mails. */
  readonly email: string;
  /** USD a month, of all stages in the account. A mail is sent when the forecast is higher. */
  readonly monthlyBudget: number;
  /** USD above what AWS expects, of all services of the account. */
  readonly anomaly: number;
}

/**
 * A budget of the service, and a monitor of cost anomalies of the account, in the stack `vehicle-verification-costs`.
 * An account's first two budgets and monitors of anomalies are free of charge. A budget sees the service by its tags, a
 * day after this:
 *
 *     aws ce update-cost-allocation-tags-status \
 *       --cost-allocation-tags-status TagKey=service,Status=Active TagKey=stage,Status=Active
 * @example
 * import { addCosts } from '../docs/recipes/costs.ts';
 *
 * addCosts(app, { email: 'costs@example.com', monthlyBudget: 50, anomaly: 20 });
 */
export const addCosts = (app: App, { email, monthlyBudget, anomaly }: CostLimits): void => {
  const costs = new Stack(app, 'vehicle-verification-costs', { env: { region: 'us-east-1' } });
  new CfnBudget(costs, 'Budget', {
    budget: {
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: monthlyBudget, unit: 'USD' },
      costFilters: { TagKeyValue: ['user:service$vehicle-verification'] },
    },
    notificationsWithSubscribers: [
      {
        notification: { notificationType: 'FORECASTED', comparisonOperator: 'GREATER_THAN', threshold: 100 },
        subscribers: [{ subscriptionType: 'EMAIL', address: email }],
      },
    ],
  });
  // An account can have one monitor of services: where there is one, write its ARN in place of this one's.
  const monitor = new CfnAnomalyMonitor(costs, 'Monitor', {
    monitorName: 'services',
    monitorType: 'DIMENSIONAL',
    monitorDimension: 'SERVICE',
  });
  new CfnAnomalySubscription(costs, 'Subscription', {
    subscriptionName: 'services',
    monitorArnList: [monitor.attrMonitorArn],
    frequency: 'DAILY',
    subscribers: [{ type: 'EMAIL', address: email }],
    thresholdExpression: JSON.stringify({
      Dimensions: {
        Key: 'ANOMALY_TOTAL_IMPACT_ABSOLUTE',
        MatchOptions: ['GREATER_THAN_OR_EQUAL'],
        Values: [String(anomaly)],
      },
    }),
  });
};
