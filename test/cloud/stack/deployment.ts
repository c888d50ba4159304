import { describe, expect, it } from '@jest/globals';
import { type Resource, referenced, resourcesOf, SERVING, type Template, templateOf } from './synthesised.ts';

const PROD = await templateOf({ stage: 'prod' });
const DEV = await templateOf({ stage: 'dev' });

/** Minutes that a canary of CodeDeploy waits before all requests go to the new version. */
const CANARY_MINUTES = 10;

const endpointFunctions = (template: Template): string[] =>
  resourcesOf(template, 'AWS::Lambda::Function')
    .map(({ id }) => id)
    .filter((id) => !id.startsWith('Probe'));

const aliases = (template: Template) => resourcesOf(template, 'AWS::Lambda::Alias');

/** Extracts `usage` from the logical ids of its function and its deployment group. */
const functionNamed = (id: string): string => id.replace(/^Deployment/, '').replace(/(Function)?[0-9A-F]{8}$/, '');

describe('The alias of each function', () => {
  it.each([
    ['prod', PROD],
    ['dev', DEV],
  ])('is called live and names a version of that function: %s', (_stage, template) => {
    const versions = new Map(
      resourcesOf(template, 'AWS::Lambda::Version').map(({ id, properties }) => [
        id,
        referenced(properties.FunctionName),
      ]),
    );
    const named = aliases(template).map(({ properties: { Name, FunctionName, FunctionVersion } }) => {
      expect(Name).toBe('live');
      expect(versions.get(referenced(FunctionVersion))).toBe(referenced(FunctionName));
      return referenced(FunctionName);
    });
    expect(named.sort()).toEqual(endpointFunctions(template).sort());
  });

  it('gets no new version when a deployment does not change the functions', async () => {
    const versionsOf = (template: Template) => resourcesOf(template, 'AWS::Lambda::Version').map(({ id }) => id);
    const settings = { alarmEmail: 'ops@example.com', throttle: { rateLimit: 500, burstLimit: 500 } };
    expect(versionsOf(await templateOf({ stage: 'prod', settings }))).toEqual(versionsOf(PROD));
  });

  it('can return to an earlier version: none is deleted, except one whose own deployment is rolled back', () => {
    for (const template of [PROD, DEV]) {
      const versions = resourcesOf(template, 'AWS::Lambda::Version');
      expect(versions.map(({ deletionPolicy }) => deletionPolicy)).toEqual(SERVING.map(() => 'RetainExceptOnCreate'));
    }
  });

  it('is updated at once with -c atOnce=true, which changes nothing else', async () => {
    const { Resources, ...others } = await templateOf({ stage: 'prod', atOnce: true });
    const withoutCodeDeploy = Object.entries(PROD.Resources).map(([id, { UpdatePolicy, ...resource }]) => [
      id,
      resource,
    ]);
    expect({ Resources, ...others }).toEqual({ ...PROD, Resources: Object.fromEntries(withoutCodeDeploy) });
    expect(PROD.Resources).not.toEqual(Resources);
  });

  it('is updated at once without gradual deployment', () => {
    expect(aliases(DEV).map(({ updatePolicy }) => updatePolicy)).toEqual(SERVING.map(() => undefined));
    expect(Object.values(DEV.Resources).filter(({ Type }) => Type.startsWith('AWS::CodeDeploy'))).toEqual([]);
  });
});

describe('A gradual deployment', () => {
  const groups = new Map(resourcesOf(PROD, 'AWS::CodeDeploy::DeploymentGroup').map((group) => [group.id, group]));
  const alarms = new Map(resourcesOf(PROD, 'AWS::CloudWatch::Alarm').map((alarm) => [alarm.id, alarm]));

  const alarmsOf = ({ properties }: Resource): Resource[] => {
    const { Alarms } = properties.AlarmConfiguration as { readonly Alarms: readonly { readonly Name: unknown }[] };
    return Alarms.map(({ Name }) => alarms.get(referenced(Name))).filter((alarm) => alarm !== undefined);
  };

  it('shifts the traffic of each alias with its own deployment group, a tenth of the requests first', () => {
    expect(groups.size).toBe(SERVING.length);
    const [application] = resourcesOf(PROD, 'AWS::CodeDeploy::Application');
    for (const { properties, updatePolicy } of aliases(PROD)) {
      const { CodeDeployLambdaAliasUpdate: update } = updatePolicy as {
        CodeDeployLambdaAliasUpdate: { readonly ApplicationName: unknown; readonly DeploymentGroupName: unknown };
      };
      expect(referenced(update.ApplicationName)).toBe(application?.id);
      const group = groups.get(referenced(update.DeploymentGroupName));
      expect(functionNamed(group?.id ?? '')).toBe(functionNamed(referenced(properties.FunctionName)));
      expect(group?.properties).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent10Minutes',
        AutoRollbackConfiguration: { Enabled: true, Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'] },
        AlarmConfiguration: { Enabled: true },
      });
    }
  });

  it('is rolled back by crashes and timeouts of the alias, by 5xx of the service and by the probe', () => {
    for (const group of groups.values()) {
      const alarmIds = alarmsOf(group).map(({ id }) => id.replace(/[0-9A-F]{8}$/, ''));
      const functionName = functionNamed(group.id);
      expect(alarmIds).toEqual([`AlarmsFunctionErrors${functionName}`, 'AlarmsErrorRate', 'AlarmsUnreachable']);
      const [own] = alarmsOf(group).flatMap(({ properties }) => properties.Dimensions as { readonly Value: unknown }[]);
      expect(functionNamed(referenced(own?.Value))).toBe(functionName);
    }
  });

  it('uses alarms that are evaluated before the canary ends', () => {
    for (const { properties } of [...groups.values()].flatMap(alarmsOf)) {
      const { Period, EvaluationPeriods, Dimensions } = properties as {
        readonly Period: number;
        readonly EvaluationPeriods: number;
        readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
      };
      expect(Period).toBe(60);
      expect(EvaluationPeriods).toBeLessThanOrEqual(CANARY_MINUTES / 2);
      const resource = Dimensions.find(({ Name }) => Name === 'Resource');
      if (resource) expect(JSON.stringify(resource.Value)).toContain(':live');
    }
  });

  it('has permission only to update these aliases and to read alarm states', () => {
    const [role] = resourcesOf(PROD, 'AWS::IAM::Role').filter(({ id }) => id.startsWith('Deployment'));
    expect(role?.properties.ManagedPolicyArns).toBeUndefined();
    const policies = role?.properties.Policies as
      | { PolicyDocument: { Statement: Record<string, unknown>[] } }[]
      | undefined;
    const [move, read, ...others] = (policies ?? []).flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    expect(others).toEqual([]);
    expect(read).toEqual({ Effect: 'Allow', Action: 'cloudwatch:DescribeAlarms', Resource: '*' });
    expect(move?.Action).toEqual(['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias']);
    const arns = endpointFunctions(PROD).map((id) => ({ 'Fn::GetAtt': [id, 'Arn'] }));
    const expected = [...arns, ...arns.map((arn) => ({ 'Fn::Join': ['', [arn, ':live']] }))];
    expect(new Set(move?.Resource as object[])).toEqual(new Set(expected));
    expect(move?.Resource).toHaveLength(expected.length);
  });
});
