import { describe, expect, it } from '@jest/globals';
import { endpoints } from '../../../functions/endpoints/table.ts';
import {
  AUDITED,
  DEV,
  FULL,
  KEPT,
  LOADS,
  PROD,
  permissionsIn,
  referenced,
  resourcesOf,
  statementsOf,
  tableNamed,
} from './templates.ts';

interface TableProperties {
  readonly BillingMode: string;
  readonly KeySchema: readonly { readonly AttributeName: string }[];
  readonly Replicas: readonly Readonly<Record<string, unknown>>[];
  readonly SSESpecification: object;
  readonly TimeToLiveSpecification?: { readonly AttributeName: string };
}

it.each([
  ['prod', PROD, true],
  ['another stage that keeps data', KEPT, true],
  ['dev', DEV, false],
])('Tables have keys and expiry, recovery and, where data is kept, protection: %s', (_stage, template, isKept) => {
  const found = resourcesOf(template, 'AWS::DynamoDB::GlobalTable').map(({ id, DeletionPolicy, Properties }) => {
    const { KeySchema, TimeToLiveSpecification: expiry, ...rest } = Properties as unknown as TableProperties;
    const { BillingMode, SSESpecification, Replicas } = rest;
    const keys = KeySchema.map(({ AttributeName }) => AttributeName).join('+');
    const table = `${tableNamed(id)} by ${keys}, expiring by ${expiry?.AttributeName ?? 'nothing'}`;
    return { table, DeletionPolicy, BillingMode, SSESpecification, Replicas };
  });
  const described = (table: string) => ({
    table,
    DeletionPolicy: isKept ? 'Retain' : 'Delete',
    BillingMode: 'PAY_PER_REQUEST',
    // With a key that DynamoDB owns: an AWS managed key costs 0.03 USD per 10,000 requests.
    SSESpecification: { SSEEnabled: false },
    Replicas: [
      expect.objectContaining({
        DeletionProtectionEnabled: isKept,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    ],
  });
  expect(found).toEqual([
    described('keys by id, expiring by expiresAt'),
    described('usage by keyId+windowStart, expiring by expiresAt'),
    described('vehicles by registration, expiring by nothing'),
    described('compliance by registration, expiring by nothing'),
    described('content by pk+sk, expiring by expiresAt'),
  ]);
});

it('A table has the warm throughput of the setting, and the others DynamoDB’s own', () => {
  const warm = resourcesOf(FULL, 'AWS::DynamoDB::GlobalTable').flatMap(({ id, Properties }) =>
    Properties.WarmThroughput === undefined ? [] : [[tableNamed(id), Properties.WarmThroughput]],
  );
  expect(warm).toEqual([['usage', { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 8_000 }]]);
});

describe('A table that the setting tables names', () => {
  const NAME = 'restored-vehicles';
  const readers = Object.values(endpoints).filter(({ tables }) => 'vehicles' in tables);
  const policies = resourcesOf(KEPT, 'AWS::IAM::Policy');

  it('is the one that functions, outputs, metrics and operators use', () => {
    const environments = resourcesOf(KEPT, 'AWS::Lambda::Function').map(({ Properties }) => Properties.Environment);
    const used = environments.filter((environment) => JSON.stringify(environment).includes('VEHICLES_TABLE'));
    expect(used).toHaveLength(readers.length);
    for (const environment of used) expect(environment).toMatchObject({ Variables: { VEHICLES_TABLE: NAME } });
    expect(KEPT.Outputs.VehiclesTable?.Value).toBe(NAME);
    const [dashboard] = resourcesOf(KEPT, 'AWS::CloudWatch::Dashboard');
    expect(JSON.stringify(dashboard)).toContain(`TableName\\",\\"${NAME}`);
    const [operators] = resourcesOf(KEPT, 'AWS::IAM::ManagedPolicy');
    expect(JSON.stringify(operators)).toContain(`:table/${NAME}`);
  });

  // All versions of a function share its role, and during a deployment those for either table serve requests.
  it('stays permitted, beside the stack’s own, until the deployment that drops it has ended', () => {
    const granted = (statements: ReturnType<typeof statementsOf>, table: (resource: string) => boolean) =>
      statements
        .filter(({ Resource }) => [Resource].flat().some((one) => table(tableNamed(referenced(one)))))
        .map(({ Action }) => Action);
    expect(policies).toHaveLength(readers.length);
    for (const policy of policies) {
      const [role] = policy.Properties.Roles as readonly unknown[];
      const own = KEPT.Resources[referenced(role)];
      const onNamed = granted(statementsOf(policy), (resource) => resource.includes(`:table/${NAME}`));
      expect(onNamed).toHaveLength(1);
      expect(onNamed).toEqual(granted(own ? statementsOf(own) : [], (resource) => resource === 'vehicles'));
      const lambda = resourcesOf(KEPT, 'AWS::Lambda::Function').find(
        ({ Properties }) => referenced(Properties.Role) === referenced(role),
      );
      expect(lambda?.DependsOn).toContain(policy.id);
    }
  });
});

describe('The audit', () => {
  const [trail] = resourcesOf(AUDITED, 'AWS::CloudTrail::Trail');
  const [bucket] = resourcesOf(AUDITED, 'AWS::S3::Bucket').filter(({ id }) => id.startsWith('Audit'));

  it('is off by default', () => {
    for (const { Resources } of [PROD, LOADS]) expect(JSON.stringify(Resources)).not.toContain('CloudTrail');
  });

  it('logs writes in the account and to IAM, reads and writes of every table, a named one too, but for the stack’s roles, and of every file of the intake', () => {
    const own = resourcesOf(AUDITED, 'AWS::DynamoDB::GlobalTable').map(({ id }) => ({ 'Fn::GetAtt': [id, 'Arn'] }));
    const named = 'arn:aws:dynamodb:eu-west-2:123456789012:table/restored-vehicles';
    const [files] = resourcesOf(AUDITED, 'AWS::S3::Bucket').filter(({ id }) => id.startsWith('Intake'));
    const everyFile = { 'Fn::Join': ['', [{ 'Fn::GetAtt': [files?.id, 'Arn'] }, '/']] };
    const sessions = resourcesOf(AUDITED, 'AWS::IAM::Role').map(({ id }) => ({
      'Fn::Join': ['', ['arn:aws:sts::123456789012:assumed-role/', { Ref: id }, '/']],
    }));
    const selector = (type: string, resources: object, ...others: readonly object[]) => ({
      FieldSelectors: [
        { Field: 'eventCategory', Equals: ['Data'] },
        { Field: 'resources.type', Equals: [type] },
        { Field: 'resources.ARN', ...resources },
        ...others,
      ],
    });
    // In any order. That they are as many follows below.
    const byOthers = { Field: 'userIdentity.arn', NotStartsWith: expect.arrayContaining(sessions) };
    expect(trail?.Properties).toMatchObject({
      IsLogging: true,
      EnableLogFileValidation: true,
      IsMultiRegionTrail: true,
      IncludeGlobalServiceEvents: true,
      AdvancedEventSelectors: [
        {
          FieldSelectors: [
            { Field: 'eventCategory', Equals: ['Management'] },
            { Field: 'readOnly', Equals: ['false'] },
          ],
        },
        selector('AWS::DynamoDB::Table', { Equals: [...own, named] }, byOthers),
        selector('AWS::S3::Object', { StartsWith: [everyFile] }),
      ],
    });
    const left = JSON.stringify(trail?.Properties).match(/assumed-role/g);
    expect(left).toHaveLength(sessions.length);
  });

  it('sends a message when the trail, a bucket’s policy or expiry, or the protection of a table is changed', () => {
    const [rule] = resourcesOf(AUDITED, 'AWS::Events::Rule').filter(({ id }) => id.startsWith('Audit'));
    const [topic] = resourcesOf(AUDITED, 'AWS::SNS::Topic');
    const name = [{ suffix: trail?.Properties.TrailName }];
    const tables = resourcesOf(AUDITED, 'AWS::DynamoDB::GlobalTable').map(({ id }) => ({ suffix: { Ref: id } }));
    const bucketName = resourcesOf(AUDITED, 'AWS::S3::Bucket').map(({ id }) => ({ Ref: id }));
    const changes = [
      { eventName: expect.arrayContaining(['DeleteTrail', 'StopLogging']), requestParameters: { name } },
      { requestParameters: { trailName: name } },
      {
        eventName: expect.arrayContaining(['DeleteBucketLifecycle', 'PutBucketLifecycle']),
        requestParameters: { bucketName: expect.arrayContaining(bucketName) },
      },
      { requestParameters: { tableName: [...tables, { suffix: 'restored-vehicles' }] } },
    ];
    expect(rule?.Properties.EventPattern).toMatchObject({ detail: { $or: changes } });
    // EventBridge's limit, with names that CloudFormation makes.
    expect(JSON.stringify(rule?.Properties.EventPattern).length + 7 * 40).toBeLessThan(2_048);
    expect(rule?.Properties.Targets).toMatchObject([{ Arn: { Ref: topic?.id }, RoleArn: expect.anything() }]);
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
