import { Stack, Validations } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { CfnAlias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { FunctionId } from '../endpoint-files.ts';
import { rollbackAlarmsOf } from './alarm-descriptions.ts';
import type { EndpointFunction } from './endpoint-function.ts';

export interface GradualDeploymentProps {
  readonly functions: ReadonlyMap<FunctionId, EndpointFunction>;
  /** The alarms of the CDK stack, by id. */
  readonly alarms: ReadonlyMap<string, Alarm>;
  /** Moves the aliases without CodeDeploy, this time: a raised alarm would stop the deployment that ends the incident. */
  readonly atOnce: boolean;
}

/**
 * CodeDeploy shifts the traffic of each alias: 10 % to the new version for 10 minutes, then all. If an alarm of the function is
 * raised meanwhile, all traffic returns to the previous version, and CloudFormation rolls back the whole stack.
 */
export class GradualDeployment extends Construct {
  constructor(scope: Construct, id: string, { functions, alarms, atOnce }: GradualDeploymentProps) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    const role = this.role([...functions.values()]);
    for (const [functionId, { live }] of functions) {
      new LambdaDeploymentGroup(this, functionId, {
        application,
        alias: live,
        // Otherwise the construct attaches a managed policy, which grants far more.
        role: role.withoutPolicyUpdates(),
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
        alarms: rollbackAlarmsOf(functionId).flatMap((alarm) => alarms.get(alarm) ?? []),
      });
      // The deployment group has set it. Without it CloudFormation updates the alias itself, and the groups stay.
      if (atOnce) (live.node.defaultChild as CfnAlias).addDeletionOverride('UpdatePolicy');
    }
  }

  private role(functions: readonly EndpointFunction[]): Role {
    const { account } = Stack.of(this);
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
      inlinePolicies: {
        MoveAliases: new PolicyDocument({
          statements: [
            new PolicyStatement({
              actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
              // Not `live.functionArn`: the alias depends on its deployment group, which depends on this role.
              resources: functions.flatMap(({ lambda: { functionArn }, live: { aliasName } }) => [
                functionArn,
                `${functionArn}:${aliasName}`,
              ]),
            }),
            new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }),
          ],
        }),
      },
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'Only cloudwatch:DescribeAlarms, on all alarms as in the managed policy of AWS for CodeDeploy: it reads states.',
    });
    return role;
  }
}
