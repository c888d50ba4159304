import { describe, expect, it } from '@jest/globals';
import {
  DEV,
  FULL,
  PROD,
  permissionsIn,
  referenced,
  resourcesOf,
  SERVING,
  SERVING_SIGNED,
  stacks,
  statementsOf,
  type Template,
} from './templates.ts';

const aliases = (template: Template) => resourcesOf(template, 'AWS::Lambda::Alias');
const versions = (template: Template) => resourcesOf(template, 'AWS::Lambda::Version');

/** Extracts `usage` from the logical ids of its function and its deployment group. */
const functionNamed = (id: string): string => id.replace(/^Deployment/, '').replace(/(Function)?[0-9A-F]{8}$/, '');

describe('The alias of each function', () => {
  it('can return to an earlier version: none is deleted, except one whose own deployment is rolled back', () => {
    const policies = [PROD, DEV].flatMap(versions).map(({ DeletionPolicy }) => DeletionPolicy);
    expect(policies).toEqual([...SERVING, ...SERVING].map(() => 'RetainExceptOnCreate'));
  });

  it('is updated at once with -c atOnce=true, which changes nothing else', () => {
    const resources = Object.entries(FULL.Resources);
    const withoutCodeDeploy = resources.map(([id, { UpdatePolicy, ...resource }]) => [id, resource]);
    const { template } = stacks.atOnce;
    expect(template).toEqual({ ...FULL, Resources: Object.fromEntries(withoutCodeDeploy) });
    expect(template).not.toEqual(FULL);
  });

  it('is updated at once in the committed stages, which have no gradual deployment', () => {
    for (const template of [PROD, DEV]) {
      expect(aliases(template).map(({ UpdatePolicy }) => UpdatePolicy)).toEqual(SERVING.map(() => undefined));
      expect(Object.values(template.Resources).filter(({ Type }) => Type.startsWith('AWS::CodeDeploy'))).toEqual([]);
    }
  });
});

describe('A gradual deployment', () => {
  const groups = new Map(resourcesOf(FULL, 'AWS::CodeDeploy::DeploymentGroup').map((group) => [group.id, group]));

  it('shifts the traffic of each alias with its own deployment group, a tenth of the requests first', () => {
    const shifted = aliases(FULL).map(({ Properties, UpdatePolicy }) => {
      const { CodeDeployLambdaAliasUpdate: update } = UpdatePolicy as {
        readonly CodeDeployLambdaAliasUpdate: { readonly DeploymentGroupName: unknown };
      };
      const group = groups.get(referenced(update.DeploymentGroupName));
      expect(functionNamed(group?.id ?? '')).toBe(functionNamed(referenced(Properties.FunctionName)));
      expect(group?.Properties.DeploymentConfigName).toBe('CodeDeployDefault.LambdaCanary10Percent10Minutes');
      return group?.id;
    });
    expect(new Set(shifted).size).toBe(SERVING_SIGNED.length);
  });

  it('is rolled back by crashes and timeouts of the alias, by 5xx of the service and by the probe', () => {
    for (const { id, Properties } of groups.values()) {
      const { Alarms } = Properties.AlarmConfiguration as { readonly Alarms: readonly { readonly Name: unknown }[] };
      const [own = '', ...shared] = Alarms.map(({ Name }) => referenced(Name));
      expect(shared).toEqual([expect.stringMatching(/^AlarmsErrorRate/), expect.stringMatching(/^AlarmsUnreachable/)]);
      expect(own).toMatch(new RegExp(`^AlarmsFunctionErrors${functionNamed(id)}[0-9A-F]{8}$`));
      expect(JSON.stringify(FULL.Resources[own]?.Properties.Dimensions)).toContain(':live');
    }
  });

  it('has a role for each group, which may only update its alias and read alarm states', () => {
    const roles = [...groups.values()].map(({ id, Properties }) => {
      const roleId = referenced(Properties.ServiceRoleArn);
      const { [roleId]: role } = FULL.Resources;
      expect(JSON.stringify(role)).toContain('"Principal":{"Service":"codedeploy.amazonaws.com"}');
      expect(JSON.stringify(role)).not.toMatch(/Condition|ManagedPolicyArns/);
      const lambda = `${functionNamed(id)}Function`;
      const moves = [lambda, `${lambda}:live`].flatMap((name) =>
        ['GetAlias', 'GetProvisionedConcurrencyConfig', 'UpdateAlias'].map((action) => `${name} lambda:${action}`),
      );
      expect(role && permissionsIn(statementsOf(role))).toEqual(['* cloudwatch:DescribeAlarms', ...moves].sort());
      return roleId;
    });
    expect(new Set(roles).size).toBe(groups.size);
  });
});

describe('The order of a deployment', () => {
  /** The logical ids to which a part of a template refers. The CDK writes no other form than these two. */
  const referencesIn = (value: unknown): string[] => {
    if (typeof value !== 'object' || value === null) return [];
    const { Ref, 'Fn::GetAtt': attribute } = value as { readonly Ref?: string; readonly 'Fn::GetAtt'?: string[] };
    return [Ref ?? [], attribute?.[0] ?? [], ...Object.values(value).map(referencesIn)].flat();
  };
  const needed = new Map(
    Object.entries(FULL.Resources).map(([id, { DependsOn = [], ...resource }]) => [
      id,
      [...DependsOn, ...referencesIn(resource)],
    ]),
  );

  /** Every resource that CloudFormation creates or updates before this one. */
  const earlierThan = (id = '', found = new Set<string>()): ReadonlySet<string> => {
    for (const name of needed.get(id) ?? []) if (!found.has(name)) earlierThan(name, found.add(name));
    return found;
  };
  const idsOf = (type: string) => resourcesOf(FULL, type).map(({ id }) => id);
  const probe = idsOf('AWS::Lambda::Function').find((id) => id.startsWith('Probe'));

  // The CDK's own check overlooks the policies by which aliases are updated.
  it('has no circular dependency', () => {
    expect([...needed.keys()].filter((id) => earlierThan(id).has(id))).toEqual([]);
    expect(JSON.stringify(FULL.Resources)).not.toContain('Fn::Sub');
  });

  it('updates the probe after the alias of every function, and these after Unreachable', () => {
    const ids = idsOf('AWS::Lambda::Alias');
    expect(ids).toHaveLength(SERVING_SIGNED.length);
    expect(FULL.Resources[probe ?? '']?.DependsOn).toEqual(expect.arrayContaining(ids));
    const unreachable = idsOf('AWS::CloudWatch::Alarm').find((id) => id.startsWith('AlarmsUnreachable'));
    for (const id of ids) expect([...earlierThan(id)]).toContain(unreachable);
    expect([...earlierThan(unreachable)].filter((id) => id.startsWith('Probe'))).toEqual([]);
  });

  it('makes the subscription of alarmEmail last, when the probe has its schedule', () => {
    const subscription = idsOf('AWS::SNS::Subscription')[0];
    const rule = idsOf('AWS::Events::Rule')[0];
    expect([...earlierThan(subscription)]).toEqual(expect.arrayContaining([probe, rule]));
  });
});
