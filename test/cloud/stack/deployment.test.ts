import { describe, expect, it } from '@jest/globals';
import { DEV, FULL, PROD, resourcesOf, SERVING, type Template } from './templates.ts';

const versions = (template: Template) => resourcesOf(template, 'AWS::Lambda::Version');

describe('The alias of each function', () => {
  it('can return to an earlier version: none is deleted, except one whose own deployment is rolled back', () => {
    const policies = [PROD, DEV].flatMap(versions).map(({ DeletionPolicy }) => DeletionPolicy);
    expect(policies).toEqual([...SERVING, ...SERVING].map(() => 'RetainExceptOnCreate'));
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

  it('updates the probe after the alias of every function', () => {
    const ids = idsOf('AWS::Lambda::Alias');
    expect(ids).toHaveLength(SERVING.length);
    expect(FULL.Resources[probe ?? '']?.DependsOn).toEqual(expect.arrayContaining(ids));
  });

  it('makes the subscription of alarmEmail last, when the probe has its schedule', () => {
    const subscription = idsOf('AWS::SNS::Subscription')[0];
    const rule = idsOf('AWS::Events::Rule')[0];
    expect([...earlierThan(subscription)]).toEqual(expect.arrayContaining([probe, rule]));
  });
});
