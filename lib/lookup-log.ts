import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, ManagedPolicy, Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { LOOKUP_LOG_OUTPUT, type LookupLogOutput } from '../core/stage/outputs.ts';
import { allow, allowOutputs } from './permissions.ts';
import type { ServiceTables } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';

const DERIVE = 'kms:GenerateMac';

/** The conditions under which auditors read the records of keys: ids and names, without hashes. */
const ONLY_NAMES = {
  'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['id', 'name'] },
  StringEquals: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
};

interface LookupLogProps {
  readonly settings: StageSettings;
  /** The ARNs of the roles that may search. */
  readonly auditors: readonly string[];
  readonly tables: ServiceTables;
  /** The functions that look vehicles up. */
  readonly functions: readonly LambdaFunction[];
}

/**
 * Lets functions log their lookups: the KMS key from which they derive secrets, and the policy of auditors, attached to
 * nobody. The key is retained where data is kept, because without it nobody can search what was logged with it.
 */
export class LookupLog extends Construct {
  readonly key: Key;

  constructor(scope: Construct, id: string, { settings, auditors, tables, functions }: LookupLogProps) {
    super(scope, id);
    const stack = Stack.of(this);
    const { region, urlSuffix } = stack;
    const endpoints = { kms: `https://kms.${region}.${urlSuffix}`, logs: `https://logs.${region}.${urlSuffix}` };
    this.key = new Key(this, 'Key', {
      description: `Lookup log of the vehicle verification API, stage ${settings.stage}`,
      keySpec: KeySpec.HMAC_256,
      keyUsage: KeyUsage.GENERATE_VERIFY_MAC,
      removalPolicy: settings.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const roles = functions.flatMap(({ role }) => role ?? []);
    this.key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'OnlyLookupsAndAuditorsDerive',
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        // Nothing else is denied: KMS rejects a policy that its author could not change again.
        actions: [DERIVE],
        resources: ['*'],
        conditions: { ArnNotEquals: { 'aws:PrincipalArn': [...auditors, ...roles.map(({ roleArn }) => roleArn)] } },
      }),
    );
    // Resources of their own, because the policy of the key names the roles.
    for (const role of roles) new Policy(role, 'LookupLog', { statements: [this.allowDeriving()], roles: [role] });
    for (const lambda of functions) {
      lambda.addEnvironment('LOOKUP_LOG_KEY', this.key.keyArn);
      lambda.addEnvironment('AWS_ENDPOINT_URL_KMS', endpoints.kms);
    }
    const logGroups = functions.map(({ logGroup }) => logGroup);
    const output: LookupLogOutput = {
      key: this.key.keyArn,
      logGroups: logGroups.map(({ logGroupName }) => logGroupName),
      retentionDays: settings.logRetentionDays,
      endpoints,
    };
    new CfnOutput(stack, LOOKUP_LOG_OUTPUT, { value: stack.toJsonString(output) });
    const policy = new ManagedPolicy(new Construct(this, 'Auditors'), 'Policy', {
      description: `Auditors of ${stack.stackName}: who has asked about a vehicle`,
      statements: [
        this.allowDeriving(),
        allow(
          ['logs:StartQuery'],
          logGroups.map(({ logGroupArn }) => logGroupArn),
        ),
        // A query has no ARN.
        allow(['logs:GetQueryResults', 'logs:StopQuery'], ['*']),
        allow(['dynamodb:Scan'], [tables.byId.keys.tableArn], ONLY_NAMES),
        allowOutputs(stack),
      ],
    });
    new CfnOutput(stack, 'AuditorPolicy', { value: policy.managedPolicyArn });
  }

  private allowDeriving(): PolicyStatement {
    return allow([DERIVE], [this.key.keyArn]);
  }
}
