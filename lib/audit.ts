import { CfnOutput, Duration, Lazy, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { CfnTrail } from 'aws-cdk-lib/aws-cloudtrail';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { AUDIT_BUCKET_OUTPUT } from '../core/stage/outputs.ts';
import type { ServiceTables } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';

interface AuditedParts {
  readonly settings: StageSettings;
  readonly tables: ServiceTables;
  /** The bucket of the intake. */
  readonly files: Bucket | undefined;
}

/** Days until an event expires: the events of a whole year can be read for a month after it. */
const EVENT_DAYS = 400;

/**
 * Adds a trail of CloudTrail, which logs who reads and writes the tables and the files of the intake, except the roles
 * of the stack.
 */
export const addAudit = (stack: Stack, { settings, tables, files }: AuditedParts): void => {
  const scope = new Construct(stack, 'Audit');
  const trailName = `${stack.stackName}-audit`;
  const bucket = new Bucket(scope, 'Events', {
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    // Not `RETAIN_ON_UPDATE_OR_DELETE`: CloudTrail writes at once, and S3 deletes only empty buckets.
    removalPolicy: settings.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    lifecycleRules: [{ expiration: Duration.days(EVENT_DAYS) }],
  });
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason: 'Only CloudTrail writes to it; an access log of the log would never end.',
  });
  allowTrailToWrite(bucket, stack.formatArn({ service: 'cloudtrail', resource: 'trail', resourceName: trailName }));
  const trail = new CfnTrail(scope, 'Trail', {
    trailName,
    s3BucketName: bucket.bucketName,
    isLogging: true,
    // Signed digests prove that no file was changed or deleted.
    enableLogFileValidation: true,
    advancedEventSelectors: [
      selector(stack, 'AWS::DynamoDB::Table', { field: 'resources.ARN', equalTo: [...tables.arns] }),
      ...(files
        ? [selector(stack, 'AWS::S3::Object', { field: 'resources.ARN', startsWith: [files.arnForObjects('')] })]
        : []),
    ],
  });
  if (bucket.policy) trail.node.addDependency(bucket.policy);
  new CfnOutput(stack, AUDIT_BUCKET_OUTPUT, { value: bucket.bucketName });
};

/** Selects reads and writes of these resources, but not those by the stack's own roles. */
const selector = (stack: Stack, type: string, resources: CfnTrail.AdvancedFieldSelectorProperty) => ({
  fieldSelectors: [
    { field: 'eventCategory', equalTo: ['Data'] },
    { field: 'resources.type', equalTo: [type] },
    resources,
    { field: 'userIdentity.arn', notStartsWith: ownSessions(stack) },
  ],
});

/** The prefixes of the ARNs of sessions with the stack's roles, which are looked up when the template is written. */
const ownSessions = (stack: Stack): string[] => {
  const session = ({ roleName }: Role) =>
    stack.formatArn({ service: 'sts', region: '', resource: 'assumed-role', resourceName: `${roleName}/` });
  const roles = () => stack.node.findAll().filter((construct) => construct instanceof Role);
  return Lazy.list({ produce: () => roles().map(session) });
};

/** The bucket policy in the user guide of CloudTrail, "Amazon S3 bucket policy for CloudTrail". */
const allowTrailToWrite = (bucket: Bucket, trailArn: string): void => {
  const { account } = Stack.of(bucket);
  const principals = [new ServicePrincipal('cloudtrail.amazonaws.com')];
  const source = { 'aws:SourceArn': trailArn };
  bucket.addToResourcePolicy(
    new PolicyStatement({
      principals,
      actions: ['s3:GetBucketAcl'],
      resources: [bucket.bucketArn],
      conditions: { StringEquals: source },
    }),
  );
  bucket.addToResourcePolicy(
    new PolicyStatement({
      principals,
      actions: ['s3:PutObject'],
      resources: [bucket.arnForObjects(`AWSLogs/${account}/*`)],
      conditions: { StringEquals: { ...source, 's3:x-amz-acl': 'bucket-owner-full-control' } },
    }),
  );
};
