import { describe, expect, it } from '@jest/globals';
import { type Resource, type Template, templateOf } from './synthesised.ts';

const TAGGED = await templateOf({ stage: 'prod', settings: { owner: 'Team Vehicles' } });

/** Resource types without tags in CloudFormation, or parts of a tagged resource. */
const WITHOUT_TAGS = [
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::CloudWatch::Dashboard',
  'AWS::IAM::ManagedPolicy',
  'AWS::Lambda::Alias',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Version',
  'AWS::SNS::TopicPolicy',
];

interface Tag {
  readonly Key: string;
  readonly Value: string;
}

/** The tags of a resource, those of the first replica for a table. */
const tagsOf = ({ Tags, Replicas }: Resource['properties']): Record<string, string> => {
  const [replica] = (Replicas ?? []) as { readonly Tags?: readonly Tag[] }[];
  const tags = Tags ?? replica?.Tags ?? [];
  return Array.isArray(tags)
    ? Object.fromEntries((tags as readonly Tag[]).map(({ Key, Value }) => [Key, Value]))
    : (tags as Record<string, string>);
};

const resources = ({ Resources }: Template) =>
  Object.values(Resources).map(({ Type, Properties }) => ({ Type, Properties }));

describe('Tags', () => {
  it('name service, stage and owner on every resource that supports tags', () => {
    const untagged = new Set<string>();
    for (const { Type, Properties } of resources(TAGGED)) {
      const { service, stage, owner } = tagsOf(Properties);
      if (service === 'vehicle-verification' && stage === 'prod' && owner === 'Team Vehicles') continue;
      untagged.add(Type);
    }
    expect([...untagged].sort()).toEqual(WITHOUT_TAGS);
  });

  it('name no owner when the settings have none', async () => {
    const owners = resources(await templateOf({ stage: 'prod' })).map(({ Properties }) => tagsOf(Properties).owner);
    expect(new Set(owners)).toEqual(new Set([undefined]));
  });
});
