/** The setting `lookupLog`. */
import { describe, expect, it } from '@jest/globals';
import { AUDITORS } from './stages.ts';
import {
  AUDITED,
  FULL,
  LOOKUPS,
  PROD,
  permissionsIn,
  referenced,
  resourcesOf,
  type Statement,
  statementsOf,
} from './templates.ts';

/** The function to which a resource with this logical id belongs. */
const functionOf = (id: string): string => id.replace(/(Role|Function|Logs)[0-9A-F]{8}$/, '');

const [key, ...otherKeys] = resourcesOf(FULL, 'AWS::KMS::Key');

describe('The key of the lookup log', () => {
  it('is one HMAC key, which stays where data is kept', () => {
    expect(otherKeys).toEqual([]);
    expect(key?.Properties).toMatchObject({ KeySpec: 'HMAC_256', KeyUsage: 'GENERATE_VERIFY_MAC' });
    expect(key?.DeletionPolicy).toBe('Retain');
  });

  it('denies the derivation to everybody but the lookups’ roles and the auditors, and nothing else to anybody', () => {
    const { Statement: statements = [] } = (key?.Properties.KeyPolicy ?? {}) as { readonly Statement?: Statement[] };
    const [denied, ...others] = statements.filter(({ Effect }) => Effect === 'Deny');
    expect(others).toEqual([]);
    expect(denied).toMatchObject({ Action: 'kms:GenerateMac', Principal: { AWS: '*' }, Resource: '*' });
    const { ArnNotEquals: exceptions } = (denied?.Condition ?? {}) as Record<string, Record<string, unknown[]>>;
    const [auditors, roles] = [
      exceptions?.['aws:PrincipalArn']?.slice(0, 2),
      exceptions?.['aws:PrincipalArn']?.slice(2),
    ];
    expect(auditors).toEqual(AUDITORS);
    expect(roles?.map((role) => functionOf(referenced(role))).sort()).toEqual(LOOKUPS);
  });

  it('is permitted to the functions that look vehicles up, which wait for the permission, and to auditors', () => {
    const permitted = ['AWS::IAM::Policy', 'AWS::IAM::Role', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
      resourcesOf(FULL, type).filter((one) => JSON.stringify(one).includes('kms:')),
    );
    for (const policy of permitted) {
      expect(permissionsIn(statementsOf(policy))).toContain('LookupLogKey kms:GenerateMac');
      if (policy.Type === 'AWS::IAM::ManagedPolicy') continue;
      const [role] = policy.Properties.Roles as readonly unknown[];
      const own = resourcesOf(FULL, 'AWS::Lambda::Function').find(
        ({ Properties }) => referenced(Properties.Role) === referenced(role),
      );
      expect(own?.DependsOn).toContain(policy.id);
    }
    const functions = permitted.flatMap(({ Properties }) =>
      ((Properties.Roles ?? []) as readonly unknown[]).map(referenced),
    );
    expect(functions.map(functionOf).sort()).toEqual(LOOKUPS);
    expect(permitted.map(({ id }) => id).filter((id) => id.includes('Auditors'))).toHaveLength(1);
  });

  it('is named to these functions and to no other', () => {
    const named = resourcesOf(FULL, 'AWS::Lambda::Function').filter(({ Properties }) =>
      JSON.stringify(Properties.Environment).includes('LOOKUP_LOG_KEY'),
    );
    expect(named.map(({ id }) => functionOf(id)).sort()).toEqual(LOOKUPS);
    const Variables = {
      LOOKUP_LOG_KEY: { 'Fn::GetAtt': [key?.id, 'Arn'] },
      AWS_ENDPOINT_URL_KMS: { 'Fn::Join': ['', ['https://kms.eu-west-2.', { Ref: 'AWS::URLSuffix' }]] },
    };
    for (const { Properties } of named) expect(Properties.Environment).toMatchObject({ Variables });
  });

  it('is reported when somebody changes it, without an audit too', () => {
    const [trail] = resourcesOf(FULL, 'AWS::CloudTrail::Trail');
    expect(trail?.Properties).toMatchObject({
      IsLogging: true,
      AdvancedEventSelectors: [{ FieldSelectors: [{}, {}] }],
    });
    const [rule, ...others] = resourcesOf(FULL, 'AWS::Events::Rule').filter(({ Properties }) =>
      JSON.stringify(Properties).includes('PutKeyPolicy'),
    );
    expect(others).toEqual([]);
    const detail = {
      eventName: expect.arrayContaining(['DisableKey', 'PutKeyPolicy', 'ScheduleKeyDeletion']),
      requestParameters: { keyId: [{ suffix: { Ref: key?.id } }] },
    };
    expect(rule?.Properties.EventPattern).toMatchObject({ detail });
    const [topic] = resourcesOf(FULL, 'AWS::SNS::Topic');
    expect(rule?.Properties.Targets).toMatchObject([{ Arn: { Ref: topic?.id }, RoleArn: expect.anything() }]);
    const section = 'https://example.com/runbook.md#a-changed-key-of-the-lookup-log';
    expect(JSON.stringify(rule?.Properties.Targets)).toContain(section);
  });
});

it('AuditorPolicy permits the logs of lookups, the names of keys and the derivation, and no vehicle', () => {
  const policy = resourcesOf(FULL, 'AWS::IAM::ManagedPolicy').find(({ id }) => id.startsWith('LookupLogAuditors'));
  expect(FULL.Outputs.AuditorPolicy?.Value).toEqual({ Ref: policy?.id });
  const names = JSON.stringify({
    'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['id', 'name'] },
    StringEquals: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
  });
  expect(policy ? permissionsIn(statementsOf(policy)) : []).toEqual(
    [
      '* logs:GetQueryResults',
      '* logs:StopQuery',
      'LookupLogKey kms:GenerateMac',
      'arn:aws:cloudformation:eu-west-2:123456789012:stack/vehicle-verification-prod/* cloudformation:DescribeStacks',
      `keys dynamodb:Scan if ${names}`,
      ...LOOKUPS.map((name) => `${name}Logs logs:StartQuery`),
    ].sort(),
  );
});

it('The output for the command line has the log group of every function that looks vehicles up, and how long lines stay', () => {
  const output = JSON.stringify(FULL.Outputs.LookupLogSettings?.Value);
  const groups = resourcesOf(FULL, 'AWS::Logs::LogGroup').filter(({ id }) => output.includes(`{"Ref":"${id}"}`));
  expect(groups.map(({ id }) => functionOf(id)).sort()).toEqual(LOOKUPS);
  expect(output).toContain('\\"retentionDays\\":90');
});

it('Without the setting there is no key, no policy and no trail for it', () => {
  expect(JSON.stringify(PROD)).not.toMatch(/LOOKUP_LOG|kms:|LookupLog|CloudTrail|Auditor/);
  expect(JSON.stringify(AUDITED)).not.toMatch(/LOOKUP_LOG|kms:|LookupLog|PutKeyPolicy/);
});
