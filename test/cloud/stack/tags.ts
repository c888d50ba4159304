import { describe, expect, it } from '@jest/globals';
import type { Stage } from './synthesis.ts';
import { FULL, type Resource, templateOf } from './synthesised.ts';

/** Resource types without tags in CloudFormation, or parts of a tagged resource. */
const WITHOUT_TAGS = [
  'AWS::ApiGatewayV2::ApiMapping',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::CloudWatch::Dashboard',
  'AWS::IAM::ManagedPolicy',
  'AWS::Lambda::Alias',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Version',
  'AWS::SNS::Subscription',
  'AWS::SNS::TopicPolicy',
];

interface Tag {
  readonly Key: string;
  readonly Value: string;
}

/** The tags of a resource, those of the first replica for a table. */
const tagsOf = ({ Tags, Replicas }: Resource['properties']): Readonly<Record<string, string>> => {
  const [replica] = (Replicas ?? []) as { readonly Tags?: readonly Tag[] }[];
  const tags = Tags ?? replica?.Tags ?? [];
  return Array.isArray(tags)
    ? Object.fromEntries((tags as readonly Tag[]).map(({ Key, Value }) => [Key, Value]))
    : (tags as Record<string, string>);
};

const tagsOfAll = async (stage: Stage) =>
  Object.values((await templateOf(stage)).Resources).map(({ Type, Properties }) => ({
    Type,
    tags: tagsOf(Properties),
  }));

describe('Tags', () => {
  it('name service, stage and owner on every resource that supports tags', async () => {
    const untagged = (await tagsOfAll(FULL)).filter(
      ({ tags: { service, stage, owner } }) =>
        service !== 'vehicle-verification' || stage !== 'prod' || owner !== 'Team Vehicles',
    );
    expect([...new Set(untagged.map(({ Type }) => Type))].sort()).toEqual(WITHOUT_TAGS);
  });

  it('name no owner when the settings have none', async () => {
    expect((await tagsOfAll({ stage: 'prod' })).filter(({ tags }) => tags.owner !== undefined)).toEqual([]);
  });
});
