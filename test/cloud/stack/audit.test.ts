import { describe, expect, it } from '@jest/globals';
import { AUDITED, LOADS, PROD, permissionsIn, resourcesOf, statementsOf } from './templates.ts';

const [trail] = resourcesOf(AUDITED, 'AWS::CloudTrail::Trail');
const [bucket] = resourcesOf(AUDITED, 'AWS::S3::Bucket').filter(({ id }) => id.startsWith('Audit'));

describe('The audit', () => {
  it('is off by default', () => {
    for (const { Resources } of [PROD, LOADS]) expect(JSON.stringify(Resources)).not.toContain('CloudTrail');
  });

  it('logs reads and writes of every table, a named one too, and of every file of the intake, but for the stack’s roles', () => {
    const own = resourcesOf(AUDITED, 'AWS::DynamoDB::GlobalTable').map(({ id }) => ({ 'Fn::GetAtt': [id, 'Arn'] }));
    const named = 'arn:aws:dynamodb:eu-west-2:123456789012:table/restored-vehicles';
    const [files] = resourcesOf(AUDITED, 'AWS::S3::Bucket').filter(({ id }) => id.startsWith('Intake'));
    const everyFile = { 'Fn::Join': ['', [{ 'Fn::GetAtt': [files?.id, 'Arn'] }, '/']] };
    const sessions = resourcesOf(AUDITED, 'AWS::IAM::Role').map(({ id }) => ({
      'Fn::Join': ['', ['arn:aws:sts::123456789012:assumed-role/', { Ref: id }, '/']],
    }));
    const selector = (type: string, resources: object) => ({
      FieldSelectors: [
        { Field: 'eventCategory', Equals: ['Data'] },
        { Field: 'resources.type', Equals: [type] },
        { Field: 'resources.ARN', ...resources },
        // In any order. That they are as many follows below.
        { Field: 'userIdentity.arn', NotStartsWith: expect.arrayContaining(sessions) },
      ],
    });
    expect(trail?.Properties).toMatchObject({
      IsLogging: true,
      EnableLogFileValidation: true,
      AdvancedEventSelectors: [
        selector('AWS::DynamoDB::Table', { Equals: [...own, named] }),
        selector('AWS::S3::Object', { StartsWith: [everyFile] }),
      ],
    });
    const left = JSON.stringify(trail?.Properties).match(/assumed-role/g);
    expect(left).toHaveLength(2 * sessions.length);
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
