import { Validations } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { CfnAlias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { FunctionId } from '../functions/endpoints/endpoint-files.ts';
import { rollbackAlarmsOf } from './alarm-descriptions.ts';
import type { EndpointFunction } from './endpoint-function.ts';
import { allow } from './permissions.ts';

type Functions = ReadonlyMap<FunctionId, EndpointFunction>;

/**
 * CodeDeploy shifts the traffic of each alias: 10 % to the new version for 10 minutes, then all. If an alarm of the
 * function is raised meanwhile, all traffic returns to the previous version, and CloudFormation rolls back the whole
 * stack.
 * @param atOnce moves the aliases without CodeDeploy: a raised alarm would stop the deployment that ends the incident
 */
export const addGradualDeployment = (
  scope: Construct,
  functions: Functions,
  alarms: ReadonlyMap<string, Alarm>,
  atOnce: boolean,
): void => {
  const construct = new Construct(scope, 'Deployment');
  const application = new LambdaApplication(construct, 'Application');
  for (const [functionId, served] of functions) {
    const { live } = served;
    new LambdaDeploymentGroup(construct, functionId, {
      application,
      alias: live,
      // Otherwise the construct attaches a managed policy, which grants far more.
      role: addRole(new Construct(construct, `${functionId}-role`), served).withoutPolicyUpdates(),
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
      alarms: rollbackAlarmsOf(functionId).flatMap((alarm) => alarms.get(alarm) ?? []),
    });
    // The group has set `UpdatePolicy`. Without it CloudFormation updates the alias itself, and the groups stay.
    if (atOnce) (live.node.defaultChild as CfnAlias).addDeletionOverride('UpdatePolicy');
  }
};

/** The role of one deployment group. Like the construct's own role it trusts CodeDeploy without a condition. */
const addRole = (scope: Construct, { lambda: { functionArn }, live: { aliasName } }: EndpointFunction): Role => {
  const statements = [
    // Not `live.functionArn`: the alias depends on its deployment group, which depends on this role.
    allow(
      ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
      [functionArn, `${functionArn}:${aliasName}`],
    ),
    allow(['cloudwatch:DescribeAlarms'], ['*']),
  ];
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    inlinePolicies: { MoveAlias: new PolicyDocument({ statements }) },
  });
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'Only cloudwatch:DescribeAlarms, on all alarms as in the managed policy of AWS for CodeDeploy: it reads states.',
  });
  return role;
};
