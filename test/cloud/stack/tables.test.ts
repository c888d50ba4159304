import { describe, expect, it } from '@jest/globals';
import { endpoints } from '../../../functions/endpoints/table.ts';
import { DEV, KEPT, PROD, referenced, resourcesOf, statementsOf, type Template, tableNamed } from './templates.ts';

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

describe('A table that the setting tables names', () => {
  const NAME = 'restored-vehicles';
  const readers = Object.values(endpoints).filter(({ tables }) => 'vehicles' in tables);
  const policies = resourcesOf(KEPT, 'AWS::IAM::Policy');

  it('is the one that functions, outputs, metrics and operators use', () => {
    const functions = resourcesOf(KEPT, 'AWS::Lambda::Function').map(({ Properties }) => Properties.Environment);
    const used = functions
      .map((environment) => JSON.stringify(environment))
      .filter((text) => /VEHICLES_TABLE/.test(text));
    expect(used).toHaveLength(readers.length);
    for (const text of used) expect(text).toContain(`"VEHICLES_TABLE":"${NAME}"`);
    expect(KEPT.Outputs.VehiclesTable?.Value).toBe(NAME);
    const [dashboard] = resourcesOf(KEPT, 'AWS::CloudWatch::Dashboard');
    expect(JSON.stringify(dashboard)).toContain(`TableName\\",\\"${NAME}`);
    const [operators] = resourcesOf(KEPT, 'AWS::IAM::ManagedPolicy');
    expect(JSON.stringify(operators)).toContain(`:table/${NAME}`);
  });

  // All versions of a function share its role, and during a deployment those for either table serve requests.
  it('is permitted beside the stack’s own, by policies that CloudFormation deletes only after a deployment without it', () => {
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
