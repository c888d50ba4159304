import { describe, expect, it } from '@jest/globals';
import type { Stage } from './synthesis.ts';
import { resourcesOf, stackOf, type Template, tableNamed, templateOf } from './synthesised.ts';

interface TableProperties {
  readonly BillingMode: string;
  readonly KeySchema: readonly { readonly AttributeName: string }[];
  readonly SSESpecification: { readonly SSEEnabled: boolean };
  readonly TimeToLiveSpecification?: { readonly AttributeName: string; readonly Enabled: boolean };
  readonly Replicas: readonly object[];
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

const PROD = await templateOf({ stage: 'prod' });
const DEV = await templateOf({ stage: 'dev' });

describe('The tables', () => {
  it('are retained in prod, and where else data is kept', async () => {
    const expected = [
      'keys by id, expires by expiresAt: Retain',
      'usage by keyId+windowStart, expires by expiresAt: Retain',
      'vehicles by registration: Retain',
      'compliance by registration: Retain',
      'content by pk+sk, expires by expiresAt: Retain',
    ];
    expect(describeTables(PROD)).toEqual(expected);
    expect(describeTables(await templateOf({ stage: 'dev', settings: { keepsData: true } }))).toEqual(expected);
  });

  it('are deleted with the stack in dev', () => {
    expect(tablesOf(DEV).map(({ deletionPolicy }) => deletionPolicy)).toEqual(Array(5).fill('Delete'));
  });

  it.each([
    ['prod', PROD, true],
    ['dev', DEV, false],
  ])(
    'are in one region, encrypted, on demand and, except for the counters, with point-in-time recovery in %s',
    (_stage, template, isProtected) => {
      for (const { name, properties } of tablesOf(template)) {
        expect(properties.BillingMode).toBe('PAY_PER_REQUEST');
        // With a key that DynamoDB owns: an AWS managed key costs 0.03 USD per 10,000 requests.
        expect(properties.SSESpecification.SSEEnabled).toBe(false);
        expect(properties.Replicas).toEqual([
          expect.objectContaining({
            Region: 'eu-west-2',
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: name !== 'usage' },
            DeletionProtectionEnabled: isProtected,
          }),
        ]);
      }
    },
  );

  it('do not change with an empty replicaRegions, which a notice says to remove', async () => {
    const former: Stage = { stage: 'prod', settings: { replicaRegions: [] } };
    expect(await templateOf(former)).toEqual(PROD);
    const notices = [expect.stringContaining('replicaRegions is no longer a setting')];
    expect(await stackOf(former)).toMatchObject({ notices });
    expect(await stackOf({ stage: 'prod' })).toMatchObject({ notices: [] });
  });
});
