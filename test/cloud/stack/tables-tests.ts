import { describe, expect, it } from '@jest/globals';
import { DEV, KEPT, PROD, resourcesOf, type Template, tableNamed } from './synthesised.ts';

interface TableProperties {
  readonly KeySchema: readonly { readonly AttributeName: string }[];
  readonly TimeToLiveSpecification?: { readonly AttributeName: string; readonly Enabled: boolean };
}

const tablesOf = (template: Template) =>
  resourcesOf(template, 'AWS::DynamoDB::GlobalTable').map(({ id, ...table }) => ({ name: tableNamed(id), ...table }));

const describeTables = (template: Template) =>
  tablesOf(template).map(({ name, DeletionPolicy, Properties }) => {
    const { KeySchema, TimeToLiveSpecification } = Properties as unknown as TableProperties;
    const keys = KeySchema.map(({ AttributeName }) => AttributeName).join('+');
    const expiry = TimeToLiveSpecification?.Enabled ? `, expires by ${TimeToLiveSpecification.AttributeName}` : '';
    return `${name} by ${keys}${expiry}: ${DeletionPolicy}`;
  });

describe('The tables', () => {
  it.each([
    ['are retained in prod', PROD, 'Retain'],
    ['are retained in another stage that keeps data', KEPT, 'Retain'],
    ['are deleted with the stack in dev', DEV, 'Delete'],
  ])('%s', (_what, template, policy) => {
    expect(describeTables(template)).toEqual([
      `keys by id, expires by expiresAt: ${policy}`,
      `usage by keyId+windowStart, expires by expiresAt: ${policy}`,
      `vehicles by registration: ${policy}`,
      `compliance by registration: ${policy}`,
      `content by pk+sk, expires by expiresAt: ${policy}`,
    ]);
  });

  it.each([
    ['prod', PROD, true],
    ['dev', DEV, false],
  ])(
    'are in one region, encrypted, on demand and, except for the counters, with point-in-time recovery in %s',
    (_stage, template, isProtected) => {
      for (const { name, Properties } of tablesOf(template)) {
        expect(Properties).toMatchObject({
          BillingMode: 'PAY_PER_REQUEST',
          // With a key that DynamoDB owns: an AWS managed key costs 0.03 USD per 10,000 requests.
          SSESpecification: { SSEEnabled: false },
          Replicas: [
            {
              Region: 'eu-west-2',
              PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: name !== 'usage' },
              DeletionProtectionEnabled: isProtected,
            },
          ],
        });
      }
    },
  );
});
