import { CfnOutput, type Stack } from 'aws-cdk-lib';
import type { Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { allow, stackArn } from './permissions.ts';
import type { Probe } from './probe.ts';

/** Actions that have no resource, or list all of a kind. */
const ANYWHERE = [
  'cloudwatch:DescribeAlarms',
  'cloudwatch:GetMetricData',
  'cloudwatch:GetMetricStatistics',
  'events:ListRules',
  'lambda:GetAccountSettings',
  'logs:GetQueryResults',
];

/** Actions on the log groups, functions and builds of the stage. None of them reads an item. */
const ON_STAGE = [
  'codebuild:BatchGetBuilds',
  'codebuild:ListBuildsForProject',
  'lambda:GetFunctionConfiguration',
  'lambda:ListVersionsByFunction',
  'lambda:UpdateAlias',
  'logs:FilterLogEvents',
  'logs:StartQuery',
];

/**
 * Adds the policy of whoever is on call, attached to nobody: what the commands of docs/runbook.md and the dashboard
 * need, and no access to items. A test compares them.
 *
 * Only the probe's configuration may be changed: the environment of another function could make it run any code with
 * its access to items, as could a build that is started by hand.
 */
export const addOnCallPolicy = (stack: Stack, stage: string, probe: Probe, dashboard: Dashboard): void => {
  // As service-stack.ts tags everything.
  const tags = { 'aws:ResourceTag/service': 'vehicle-verification', 'aws:ResourceTag/stage': stage };
  const policy = new ManagedPolicy(new Construct(stack, 'OnCall'), 'Policy', {
    description: `On call for ${stack.stackName}: the commands of the runbook, without access to items`,
    statements: [
      allow(ANYWHERE, ['*']),
      allow(ON_STAGE, ['*'], { StringEquals: tags }),
      allow(['cloudwatch:GetDashboard'], [dashboard.dashboardArn]),
      allow(['events:EnableRule'], [probe.ruleArn]),
      allow(['lambda:UpdateFunctionConfiguration'], [probe.functionArn]),
      allow(['cloudformation:ListStackResources'], [stackArn(stack)]),
    ],
  });
  new CfnOutput(stack, 'OnCallPolicy', { value: policy.managedPolicyArn });
};
