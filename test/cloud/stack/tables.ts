import { describe, expect, it } from '@jest/globals';
import type { Template } from 'aws-cdk-lib/assertions';
import { resourcesOf, tableNamed, templateOf } from './synthesised.ts';

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

const inWords = (template: Template) =>
  tablesOf(template).map(({ name, deletionPolicy, properties: { KeySchema, TimeToLiveSpecification } }) => {
    const keys = KeySchema.map(({ AttributeName }) => AttributeName).join('+');
    const expiry = TimeToLiveSpecification?.Enabled ? `, expires by ${TimeToLiveSpecification.AttributeName}` : '';
    return `${name} by ${keys}${expiry}: ${deletionPolicy}`;
  });

const regionsOf = (template: Template) =>
  Object.fromEntries(
    tablesOf(template).map(({ name, properties }) => [name, properties.Replicas.map(({ Region }) => Region)]),
  );

const PROD = templateOf({ stage: 'prod' });
const DEV = templateOf({ stage: 'dev' });

describe('The tables', () => {
  it('are kept in prod', () => {
    expect(inWords(PROD)).toEqual([
      'keys by id: Retain',
      'usage by keyId+windowStart, expires by expiresAt: Retain',
      'vehicles by registration: Retain',
      'compliance by registration: Retain',
      'content by pk+sk, expires by expiresAt: Retain',
    ]);
  });

  it('go with the stack in dev', () => {
    expect(tablesOf(DEV).map(({ deletionPolicy }) => deletionPolicy)).toEqual(Array(5).fill('Delete'));
  });

  it.each([
    ['prod', PROD, true],
    ['dev', DEV, false],
  ])('are in %s encrypted, billed by request and restorable to any second', (_stage, template, isProtected) => {
    for (const { properties } of tablesOf(template)) {
      expect(properties.BillingMode).toBe('PAY_PER_REQUEST');
      expect(properties.SSESpecification.SSEEnabled).toBe(true);
      for (const replica of properties.Replicas) {
        expect(replica.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled).toBe(true);
        expect(replica.DeletionProtectionEnabled).toBe(isProtected);
      }
    }
  });

  it('stay in one region, but for copies of vehicles and compliance where they are asked for', () => {
    expect(regionsOf(templateOf({ stage: 'prod', replicaRegions: 'eu-west-1,eu-central-1' }))).toEqual({
      keys: ['eu-west-2'],
      usage: ['eu-west-2'],
      vehicles: ['eu-west-1', 'eu-central-1', 'eu-west-2'],
      compliance: ['eu-west-1', 'eu-central-1', 'eu-west-2'],
      content: ['eu-west-2'],
    });
  });
});
