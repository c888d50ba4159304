import { describe, expect, it } from '@jest/globals';
import { AUDITED, LOADS, PROD, permissionsIn, resourcesOf, statementsOf } from './templates.ts';

interface FieldSelector {
  readonly Field: string;
  readonly Equals?: readonly unknown[];
  readonly StartsWith?: readonly unknown[];
  readonly NotStartsWith?: readonly unknown[];
}

const [trail] = resourcesOf(AUDITED, 'AWS::CloudTrail::Trail');
const selectors = (trail?.Properties.AdvancedEventSelectors ?? []) as readonly {
  readonly FieldSelectors: readonly FieldSelector[];
}[];
const fieldsOf = (type: string) =>
  selectors.map(({ FieldSelectors: fields }) => fields).find((fields) => JSON.stringify(fields).includes(type)) ?? [];
const field = (type: string, name: string) => fieldsOf(type).find(({ Field }) => Field === name);

const [bucket] = resourcesOf(AUDITED, 'AWS::S3::Bucket').filter(({ id }) => id.startsWith('Audit'));

describe('The audit', () => {
  it('is off by default', () => {
    for (const { Resources } of [PROD, LOADS]) expect(JSON.stringify(Resources)).not.toContain('CloudTrail');
  });

  it('logs reads and writes of every table, a named one too, and of every file of the intake', () => {
    expect(trail?.Properties).toMatchObject({ IsLogging: true, EnableLogFileValidation: true });
    expect(selectors).toHaveLength(2);
    for (const type of ['DynamoDB', 'S3']) {
      expect(field(type, 'eventCategory')).toEqual({ Field: 'eventCategory', Equals: ['Data'] });
      expect(fieldsOf(type).map(({ Field }) => Field)).toEqual([
        ...['eventCategory', 'resources.type', 'resources.ARN', 'userIdentity.arn'],
      ]);
    }
    const own = resourcesOf(AUDITED, 'AWS::DynamoDB::GlobalTable').map(({ id }) => ({ 'Fn::GetAtt': [id, 'Arn'] }));
    const named = 'arn:aws:dynamodb:eu-west-2:123456789012:table/restored-vehicles';
    expect(field('DynamoDB', 'resources.ARN')?.Equals).toEqual([...own, named]);
    const [files] = resourcesOf(AUDITED, 'AWS::S3::Bucket').filter(({ id }) => id.startsWith('Intake'));
    const everyFile = { 'Fn::Join': ['', [{ 'Fn::GetAtt': [files?.id, 'Arn'] }, '/']] };
    expect(field('S3', 'resources.ARN')?.StartsWith).toEqual([everyFile]);
  });

  it('leaves out the sessions of each role of the stack', () => {
    const roles = resourcesOf(AUDITED, 'AWS::IAM::Role').map(({ id }) => id);
    const sessions = roles.map((id) => ({
      'Fn::Join': ['', ['arn:aws:sts::123456789012:assumed-role/', { Ref: id }, '/']],
    }));
    for (const type of ['DynamoDB', 'S3']) {
      const left = field(type, 'userIdentity.arn')?.NotStartsWith ?? [];
      expect(left).toHaveLength(roles.length);
      expect(new Set(left)).toEqual(new Set(sessions));
    }
  });

  it('keeps its events for 400 days, in a bucket that outlives a stack whose data is kept', () => {
    expect(bucket?.DeletionPolicy).toBe('Retain');
    expect(bucket?.Properties.LifecycleConfiguration).toEqual({
      Rules: [{ ExpirationInDays: 400, Status: 'Enabled' }],
    });
    expect(AUDITED.Outputs.AuditBucket?.Value).toEqual({ Ref: bucket?.id });
  });

  it('may be written by this trail only, which waits for the permission', () => {
    const [policy] = resourcesOf(AUDITED, 'AWS::S3::BucketPolicy').filter(({ id }) => id.startsWith('Audit'));
    expect(trail?.DependsOn).toContain(policy?.id);
    const trailArn = `arn:aws:cloudtrail:eu-west-2:123456789012:trail/${trail?.Properties.TrailName}`;
    const permitted = policy ? statementsOf(policy).filter(({ Effect }) => Effect === 'Allow') : [];
    for (const { Principal } of permitted) expect(Principal).toEqual({ Service: 'cloudtrail.amazonaws.com' });
    const byTrail = { 'aws:SourceArn': trailArn };
    const put = { ...byTrail, 's3:x-amz-acl': 'bucket-owner-full-control' };
    expect(permissionsIn(permitted)).toEqual([
      `AuditEvents s3:GetBucketAcl if ${JSON.stringify({ StringEquals: byTrail })}`,
      `AuditEvents/AWSLogs/123456789012/* s3:PutObject if ${JSON.stringify({ StringEquals: put })}`,
    ]);
  });
});
