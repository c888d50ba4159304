import { Duration, Validations } from 'aws-cdk-lib';
import { type CfnTrail, Trail } from 'aws-cdk-lib/aws-cloudtrail';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import type { ServiceStack } from '../../lib/cloud/service-stack.ts';

/** Days that a change of a key stays in the log. */
const KEPT = Duration.days(365);

/**
 * Logs every write to the table of keys, whatever program made it: who, when and from where. The bucket outlives the
 * stack. 100,000 writes cost 0.10 USD; the probe makes one for each of its instances a day.
 * @example
 * import { addKeyChanges } from '../docs/recipes/key-changes.ts';
 *
 * addKeyChanges(service);
 */
export const addKeyChanges = (service: ServiceStack): void => {
  const bucket = new Bucket(service, 'KeyChangesBucket', {
    encryption: BucketEncryption.S3_MANAGED,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    enforceSSL: true,
    lifecycleRules: [{ expiration: KEPT }],
  });
  Validations.of(bucket).acknowledge({ id: 'AwsSolutions-S1', reason: 'It holds a log itself.' });
  const trail = new Trail(service, 'KeyChanges', {
    bucket: bucket as IBucket,
    isMultiRegionTrail: false,
    includeGlobalServiceEvents: false,
  });
  (trail.node.defaultChild as CfnTrail).advancedEventSelectors = [
    {
      name: 'writes to the table of keys',
      fieldSelectors: [
        { field: 'eventCategory', equalTo: ['Data'] },
        { field: 'resources.type', equalTo: ['AWS::DynamoDB::Table'] },
        { field: 'resources.ARN', equalTo: [service.tables.byId.keys.tableArn] },
        { field: 'readOnly', equalTo: ['false'] },
      ],
    },
  ];
};
