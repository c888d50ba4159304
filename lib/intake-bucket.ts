import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccountPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket, type LifecycleRule } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { IntakeEntry } from '../core/stage/intake-entry.ts';
import { BUCKET_FOLDERS } from '../core/stage/outputs.ts';
import { allow } from './permissions.ts';

/** Days until a file expires. Files of the last day are not loaded (admin/intake/waiting-files.ts). */
const FILE_DAYS = 30;
/** Days until what a load has changed expires. Copies of erased vehicles stay as long. */
const CHANGES_DAYS = 14;
/**
 * Days until everything else expires: reports, files of a former supplier, and which file was loaded last, which nobody
 * needs when every older file is too old to be loaded.
 */
const OTHER_DAYS = 90;

/** Adds the bucket that files are put into, and that has the reports on them. */
export const addIntakeBucket = (scope: Construct, entries: readonly IntakeEntry[], keepsData: boolean): Bucket => {
  const rule = (days: number): LifecycleRule => ({
    expiration: Duration.days(days),
    noncurrentVersionExpiration: Duration.days(1),
    abortIncompleteMultipartUploadAfter: Duration.days(1),
  });
  const bucket = new Bucket(scope, 'Bucket', {
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    versioned: true,
    removalPolicy: keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    lifecycleRules: [
      ...entries.map(({ prefix }) => ({ ...rule(FILE_DAYS), prefix })),
      { ...rule(CHANGES_DAYS), prefix: BUCKET_FOLDERS.changes },
      rule(OTHER_DAYS),
    ],
  });
  for (const entry of entries) permitSupplier(bucket, entry);
  // `eventBridgeEnabled` of the construct would add a function of the CDK's own.
  (bucket.node.defaultChild as CfnBucket).notificationConfiguration = {
    eventBridgeConfiguration: { eventBridgeEnabled: true },
  };
  new CfnOutput(Stack.of(scope), 'IntakeBucket', { value: bucket.bucketName });
  return bucket;
};

/**
 * Permits the role or account in `from` to put files under the prefix of the entry, and to get their reports. A role is
 * named in a condition: as a principal it would have to exist at each deployment, and S3 would replace it by an id,
 * which a role that is made again under the same name does not have.
 */
const permitSupplier = (bucket: Bucket, { prefix, from }: IntakeEntry): void => {
  if (from === undefined) return;
  const [, , , , account = '', name] = from.split(':');
  const principals = [new AccountPrincipal(account)];
  const role = name === 'root' ? {} : { ArnEquals: { 'aws:PrincipalArn': from } };
  const reports = `${BUCKET_FOLDERS.reports}${prefix}*`;
  for (const statement of [
    { actions: ['s3:PutObject', 's3:AbortMultipartUpload'], resources: [bucket.arnForObjects(`${prefix}*`)] },
    { actions: ['s3:GetObject'], resources: [bucket.arnForObjects(reports)] },
    {
      actions: ['s3:ListBucket'],
      resources: [bucket.bucketArn],
      conditions: { StringLike: { 's3:prefix': reports } },
    },
  ]) {
    const conditions = { ...role, ...statement.conditions };
    bucket.addToResourcePolicy(new PolicyStatement({ principals, ...statement, conditions }));
  }
};

const REPORTS = `${BUCKET_FOLDERS.reports}*`;
const CHANGES = `${BUCKET_FOLDERS.changes}*`;
/** The objects that say which file was loaded last. */
const LAST_LOADED = `${BUCKET_FOLDERS.control}loaded/*`;

const allowReads = (bucket: Bucket): PolicyStatement[] => [
  // Without `ListBucket` a missing object is an `AccessDenied`.
  allow(['s3:ListBucket', 's3:ListBucketVersions'], [bucket.bucketArn]),
  allow(['s3:GetObject', 's3:GetObjectVersion'], [bucket.arnForObjects('*')]),
];

/** Permits what a build does with the bucket. */
export const allowLoads = (bucket: Bucket): PolicyStatement[] => [
  ...allowReads(bucket),
  allow(
    ['s3:PutObject'],
    [REPORTS, CHANGES, LAST_LOADED].map((keys) => bucket.arnForObjects(keys)),
  ),
];

/**
 * Permits operators to read files and reports, to put files, such as after a restore, or the object that starts a load,
 * and to take out files that must not be loaded. They may also delete a damaged record of the file that was loaded
 * last, and what a load has changed, of an erased vehicle.
 */
export const allowFiles = (bucket: Bucket, entries: readonly IntakeEntry[]): PolicyStatement[] => [
  ...allowReads(bucket),
  allow(
    ['s3:PutObject', 's3:DeleteObject'],
    entries.map(({ prefix }) => bucket.arnForObjects(`${prefix}*`)),
  ),
  allow(
    ['s3:DeleteObject'],
    [LAST_LOADED, CHANGES].map((keys) => bucket.arnForObjects(keys)),
  ),
];
