import { describe, expect, it } from '@jest/globals';
import { RETIRED_KEYS } from './stages.ts';
import { FULL, PROD, permissionsIn, referenced, resourcesOf, type Statement, statementsOf } from './templates.ts';

// In the order of the setting.
const keys = resourcesOf(FULL, 'AWS::KMS::Key').toReversed();
const arns = keys.map(({ id }) => ({ 'Fn::GetAtt': [id, 'Arn'] }));

const LOOKUPS = ['bulkcompliance', 'bulkinsurance', 'compliance', 'vehicleinsurance'];

/** The function of the first of these roles. */
const functionOf = (roles: unknown): string =>
  referenced((roles as readonly unknown[])[0]).replace(/Role[0-9A-F]{8}$/, '');

const functionsWith = (variable: string) =>
  resourcesOf(FULL, 'AWS::Lambda::Function')
    .filter(({ Properties }) => variable in (Properties.Environment as { readonly Variables: object }).Variables)
    .map(({ id }) => id.replace(/Function.*$/, ''))
    .sort();

describe('Signed answers', () => {
  it('have a retained P-256 key for each name, which can only sign', () => {
    expect(keys.map(({ id }) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual(['SigningKeys2026', 'SigningKeys2025']);
    for (const { Properties, DeletionPolicy } of keys) {
      expect(Properties).toMatchObject({ KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' });
      expect(DeletionPolicy).toBe('Retain');
    }
  });

  it('are signed by the lookups, published by one function, and known to the one for unknown paths', () => {
    expect(functionsWith('SIGNING_KEYS')).toEqual([...LOOKUPS, 'jwks', 'notfound'].sort());
    const [jwks] = resourcesOf(FULL, 'AWS::Lambda::Function').filter(({ id }) => id.startsWith('jwks'));
    expect(jwks?.Properties).toMatchObject({
      Environment: {
        Variables: {
          SIGNED_ANSWERS_ISSUER: 'https://api.example.com',
          SIGNING_KEYS: { 'Fn::Join': [',', arns] },
          RETIRED_SIGNING_KEYS: JSON.stringify(RETIRED_KEYS),
        },
      },
    });
  });

  // In policies of their own: the policy of each key names the roles.
  it('need permission for every key, because old versions sign with earlier ones', () => {
    const permitted = resourcesOf(FULL, 'AWS::IAM::Policy').flatMap((policy) =>
      permissionsIn(statementsOf(policy)).map((permission) => `${functionOf(policy.Properties.Roles)}: ${permission}`),
    );
    const on = (action: string, ids: readonly string[]) =>
      ids.flatMap((id) => ['2025', '2026'].map((key) => `${id}: SigningKeys${key} kms:${action}`));
    const expected = [...on('Sign', LOOKUPS), ...on('GetPublicKey', [...LOOKUPS, 'jwks'])];
    expect(permitted.sort()).toEqual(expected.sort());
  });

  it('are signed by nobody else: each key denies kms:Sign to all other roles, and nothing else to anybody', () => {
    for (const { Properties } of keys) {
      const { Statement: statements } = Properties.KeyPolicy as { readonly Statement: readonly Statement[] };
      const [denied, ...others] = statements.filter(({ Effect }) => Effect === 'Deny');
      expect(others).toEqual([]);
      expect(denied).toMatchObject({ Action: 'kms:Sign', Principal: { AWS: '*' }, Resource: '*' });
      const { ArnNotEquals: exceptions } = (denied?.Condition ?? {}) as Record<string, Record<string, unknown[]>>;
      expect(exceptions?.['aws:PrincipalArn']?.map((role) => functionOf([role])).sort()).toEqual(LOOKUPS);
    }
  });

  it('need the setting: without it there is no key and no such route', () => {
    expect(resourcesOf(PROD, 'AWS::KMS::Key')).toEqual([]);
    expect(JSON.stringify(PROD)).not.toMatch(/jwks|SIGNING_KEYS|kms:/);
  });
});
