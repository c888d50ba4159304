import { Annotations, CfnOutput, Duration, Lazy, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CfnTrail } from 'aws-cdk-lib/aws-cloudtrail';
import { EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { serviceOfAccount } from './permissions.ts';
import type { ServiceTables } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';

interface AuditedParts {
  readonly settings: StageSettings;
  /** The ARN of the topic that gets a message for each change of what the audit relies on. */
  readonly topicArn: string;
  readonly tables: ServiceTables;
  /** The bucket of the intake. */
  readonly files: Bucket | undefined;
  /** The id of the KMS key of the lookup log. */
  readonly lookupKeyId: string | undefined;
}

/** Days until an event expires: the events of a whole year can be read for a month after it. */
const EVENT_DAYS = 400;

/**
 * Adds a trail of CloudTrail, which logs what is changed in the account. With the setting `audit` it also logs who
 * reads and writes the tables, except the roles of the stack, and the files of the intake.
 */
export const addAudit = (stack: Stack, parts: AuditedParts): void => {
  const { settings, tables, files } = parts;
  const ofItems = ofData(
    'AWS::DynamoDB::Table',
    { field: 'resources.ARN', equalTo: tables.all.map(({ tableArn }) => tableArn) },
    { field: 'userIdentity.arn', notStartsWith: ownSessions(stack) },
  );
  // Callers of another account have no `userIdentity.arn` here, so no role is left out.
  const ofFiles = (bucket: Bucket) =>
    ofData('AWS::S3::Object', { field: 'resources.ARN', startsWith: [bucket.arnForObjects('')] });
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
  allowTrailToWrite(bucket, stack.formatArn({ service: 'cloudtrail', resource: 'trail', resourceName: trailName }));
  const trail = new CfnTrail(scope, 'Trail', {
    trailName,
    s3BucketName: bucket.bucketName,
    isLogging: true,
    // Signed digests prove that no file was changed or deleted.
    enableLogFileValidation: true,
    // Events of IAM are in us-east-1.
    isMultiRegionTrail: true,
    includeGlobalServiceEvents: true,
    advancedEventSelectors: [
      { fieldSelectors: [isCategory('Management'), { field: 'readOnly', equalTo: ['false'] }] },
      ...(settings.audit ? [ofItems, ...(files ? [ofFiles(files)] : [])] : []),
    ],
  });
  if (bucket.policy) trail.node.addDependency(bucket.policy);
  const buckets = [bucket, ...(files ? [files] : [])].map(({ bucketName }) => bucketName);
  reportChanges(scope, { ...parts, trailName, buckets });
  new CfnOutput(stack, 'AuditBucket', { value: bucket.bucketName });
};

type FieldSelector = CfnTrail.AdvancedFieldSelectorProperty;

const isCategory = (category: 'Data' | 'Management'): FieldSelector => ({
  field: 'eventCategory',
  equalTo: [category],
});

/** Selects reads and writes of items or objects. */
const ofData = (type: string, ...others: readonly FieldSelector[]) => ({
  fieldSelectors: [isCategory('Data'), { field: 'resources.type', equalTo: [type] }, ...others],
});

interface ReportedChanges extends AuditedParts {
  readonly trailName: string;
  readonly buckets: readonly string[];
}

/**
 * Sends a message when somebody changes the trail, the policy or expiry of a bucket, the protection of a table, or the
 * key of the lookup log.
 */
const reportChanges = (scope: Construct, changes: ReportedChanges): void => {
  const { trailName, tables, buckets, topicArn, lookupKeyId, settings } = changes;
  // Requests name a trail or a table by its name or ARN.
  const ending = (names: readonly string[]) => names.map((suffix) => ({ suffix }));
  const ofTrail = ending([trailName]);
  const { stackName } = Stack.of(scope);
  const role = new Role(scope, 'ChangesRole', {
    assumedBy: serviceOfAccount(scope, 'events.amazonaws.com'),
  });
  const topic = Topic.fromTopicArn(scope, 'ChangesTopic', topicArn);
  const detail = (path: string) => EventField.fromPath(`$.detail.${path}`);
  const report = (id: string, of: object, rest: string): void => {
    const text = `${detail('eventName')} by ${detail('userIdentity.arn')} at ${detail('eventTime')}, ${rest}`;
    const eventPattern = { detailType: ['AWS API Call via CloudTrail'], detail: { ...of } };
    const target = new SnsTopic(topic, { message: RuleTargetInput.fromText(text), role });
    const rule = new Rule(scope, id, { eventPattern, targets: [target] });
    const reason = 'The topic is in the account and region of the stack.';
    Annotations.of(rule).acknowledgeWarning('@aws-cdk/aws-events:ruleUnresolvedEnvironment', reason);
  };
  const relied = [
    { eventName: ['DeleteTrail', 'StopLogging', 'UpdateTrail'], requestParameters: { name: ofTrail } },
    { eventName: ['PutEventSelectors'], requestParameters: { trailName: ofTrail } },
    {
      eventName: ['DeleteBucketLifecycle', 'DeleteBucketPolicy', 'PutBucketLifecycle', 'PutBucketPolicy'],
      requestParameters: { bucketName: buckets },
    },
    {
      eventName: ['DeleteTable', 'UpdateContinuousBackups', 'UpdateTable'],
      requestParameters: { tableName: ending(tables.all.map(({ tableName }) => tableName)) },
    },
  ];
  const toDo = 'If nobody knows why: docs/operations.md#after-a-right-to-deploy-has-leaked';
  report('Changes', { $or: relied }, `in what the audit of ${stackName} relies on. ${toDo}`);
  if (lookupKeyId === undefined) return;
  const ofKey = {
    eventName: ['CreateGrant', 'DisableKey', 'PutKeyPolicy', 'ScheduleKeyDeletion'],
    requestParameters: { keyId: ending([lookupKeyId]) },
  };
  const runbook = `${settings.runbookUrl ?? 'docs/runbook.md'}#a-changed-key-of-the-lookup-log`;
  report('KeyChanges', ofKey, `of the key of the lookup log of ${stackName}. What to do: ${runbook}`);
};

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
  const permit = (action: string, resource: string, values: Readonly<Record<string, string>> = {}) => {
    const conditions = { StringEquals: { 'aws:SourceArn': trailArn, ...values } };
    bucket.addToResourcePolicy(
      new PolicyStatement({ principals, actions: [action], resources: [resource], conditions }),
    );
  };
  permit('s3:GetBucketAcl', bucket.bucketArn);
  const acl = { 's3:x-amz-acl': 'bucket-owner-full-control' };
  permit('s3:PutObject', bucket.arnForObjects(`AWSLogs/${account}/*`), acl);
};
