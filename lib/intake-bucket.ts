import { CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket, type LifecycleRule } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { INTAKE_BUCKET_OUTPUT, intakePolicyOutput } from '../core/stage/outputs.ts';
import { allow } from './permissions.ts';

/** Days until a file expires. Files of the last day are not loaded (admin/intake/load-waiting.ts). */
const FILE_DAYS = 30;
const REPORT_DAYS = 90;

/** Adds the bucket that files are put into, and that has the reports on them. */
export const addIntakeBucket = (scope: Construct, prefixes: readonly string[], keepsData: boolean): Bucket => {
  const rule = (prefix: string, days: number): LifecycleRule => ({
    prefix,
    expiration: Duration.days(days),
    noncurrentVersionExpiration: Duration.days(1),
    abortIncompleteMultipartUploadAfter: Duration.days(1),
  });
  const bucket = new Bucket(scope, 'Bucket', {
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    versioned: true,
    removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    lifecycleRules: [...prefixes.map((prefix) => rule(prefix, FILE_DAYS)), rule('reports/', REPORT_DAYS)],
  });
  // `eventBridgeEnabled` of the construct would add a function of the CDK's own.
  (bucket.node.defaultChild as CfnBucket).notificationConfiguration = {
    eventBridgeConfiguration: { eventBridgeEnabled: true },
  };
  const reason =
    'Each load has a report with the file’s name and version; who put it is in CloudTrail, if the account has it.';
  Validations.of(bucket).acknowledge({ id: 'AwsSolutions-S1', reason });
  new CfnOutput(Stack.of(scope), INTAKE_BUCKET_OUTPUT, { value: bucket.bucketName });
  return bucket;
};

/** Adds a policy per prefix, for whoever puts files there. The policies are attached to nobody. */
export const addIntakePolicies = (scope: Construct, prefixes: readonly string[], bucket: Bucket): void => {
  const stack = Stack.of(scope);
  for (const prefix of prefixes) {
    const output = intakePolicyOutput(prefix);
    const [files, reports] = [`${prefix}*`, `reports/${prefix}*`];
    const policy = new ManagedPolicy(scope, output, {
      description: `Puts files under ${prefix} for ${stack.stackName}, and gets their reports`,
      statements: [
        allow(['s3:PutObject', 's3:AbortMultipartUpload'], [bucket.arnForObjects(files)]),
        allow(['s3:GetObject'], [bucket.arnForObjects(reports)]),
        allow(['s3:ListBucket'], [bucket.bucketArn], { StringLike: { 's3:prefix': reports } }),
      ],
    });
    acknowledgeWildcards(policy, bucket, [files, reports]);
    new CfnOutput(stack, output, { value: policy.managedPolicyArn });
  }
};

/** Accepts the wildcards in permissions on these keys of the bucket. */
export const acknowledgeWildcards = (construct: Construct, bucket: Bucket, keys: readonly string[]): void => {
  const id = Stack.of(bucket).getLogicalId(bucket.node.defaultChild as CfnBucket);
  const reason = 'Names of files and reports are not known before.';
  for (const key of keys) {
    Validations.of(construct).acknowledge({ id: `AwsSolutions-IAM5[Resource::<${id}.Arn>/${key}]`, reason });
  }
};
