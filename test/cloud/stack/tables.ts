import { describe, expect, it } from '@jest/globals';
import { resourcesOf, type Template, tableNamed, templateOf } from './synthesised.ts';

interface Replica {
  readonly Region: string;
  readonly DeletionProtectionEnabled: boolean;
  readonly PointInTimeRecoverySpecification: { readonly PointInTimeRecoveryEnabled: boolean };
}

interface TableProperties {
  readonly BillingMode: string;
  readonly KeySchema: readonly { readonly AttributeName: string }[];
  readonly SSESpecification: { readonly SSEEnabled: boolean };
  readonly TimeToLiveSpecification?: { readonly AttributeName: string; readonly Enabled: boolean };
  readonly Replicas: readonly Replica[];
}

const tablesOf = (template: Template) =>
  resourcesOf(template, 'AWS::DynamoDB::GlobalTable').map(({ id, properties, deletionPolicy }) => ({
    name: tableNamed(id),
    deletionPolicy,
    properties: properties as unknown as TableProperties,
  }));

const describeTables = (template: Template) =>
  tablesOf(template).map(({ name, deletionPolicy, properties: { KeySchema, TimeToLiveSpecification } }) => {
    const keys = KeySchema.map(({ AttributeName }) => AttributeName).join('+');
    const expiry = TimeToLiveSpecification?.Enabled ? `, expires by ${TimeToLiveSpecification.AttributeName}` : '';
    return `${name} by ${keys}${expiry}: ${deletionPolicy}`;
  });

const regionsOf = (template: Template) =>
  Object.fromEntries(
    tablesOf(template).map(({ name, properties }) => [name, properties.Replicas.map(({ Region }) => Region)]),
  );

const PROD = await templateOf({ stage: 'prod' });
const DEV = await templateOf({ stage: 'dev' });

describe('The tables', () => {
  it('are retained in prod', () => {
    expect(describeTables(PROD)).toEqual([
      'keys by id: Retain',
      'usage by keyId+windowStart, expires by expiresAt: Retain',
      'vehicles by registration: Retain',
      'compliance by registration: Retain',
      'content by pk+sk, expires by expiresAt: Retain',
    ]);
  });

  it('are deleted with the stack in dev', () => {
    expect(tablesOf(DEV).map(({ deletionPolicy }) => deletionPolicy)).toEqual(Array(5).fill('Delete'));
  });

  it.each([
    ['prod', PROD, true],
    ['dev', DEV, false],
  ])('are encrypted, billed by request and restorable to any second in %s', (_stage, template, isProtected) => {
    for (const { properties } of tablesOf(template)) {
      expect(properties.BillingMode).toBe('PAY_PER_REQUEST');
      // With a key that DynamoDB owns: AWS charges 0.03 USD per 10,000 requests for one that it manages.
      expect(properties.SSESpecification.SSEEnabled).toBe(false);
      for (const replica of properties.Replicas) {
        expect(replica.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled).toBe(true);
        expect(replica.DeletionProtectionEnabled).toBe(isProtected);
      }
    }
  });

  it('stay in one region, except for requested replicas of vehicles and compliance', async () => {
    expect(
      regionsOf(await templateOf({ stage: 'prod', settings: { replicaRegions: ['eu-west-1', 'eu-central-1'] } })),
    ).toEqual({
      keys: ['eu-west-2'],
      usage: ['eu-west-2'],
      vehicles: ['eu-west-1', 'eu-central-1', 'eu-west-2'],
      compliance: ['eu-west-1', 'eu-central-1', 'eu-west-2'],
      content: ['eu-west-2'],
    });
  });
});

describe('The logical ids of what a deployment must keep', () => {
  // With another logical id CloudFormation replaces the resource: an empty table, another address, unconfirmed subscriptions.
  it.each([
    [
      'AWS::DynamoDB::GlobalTable',
      [
        'Tableskeys645399BB',
        'TablesusageC408C147',
        'Tablesvehicles9AD75F15',
        'Tablescompliance4EEAC761',
        'Tablescontent7E71BE79',
      ],
    ],
    ['AWS::ApiGatewayV2::Api', ['GatewayApi4EDF2151']],
    ['AWS::SNS::Topic', ['AlarmsTopic3A2DFEBA']],
  ])('stay as they are: %s', (type, ids) => {
    expect(resourcesOf(PROD, type).map(({ id }) => id)).toEqual(ids);
  });
});
