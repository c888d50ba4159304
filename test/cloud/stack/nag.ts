import { describe, expect, it } from '@jest/globals';
import { violationsOf } from './synthesised.ts';

const EVERYTHING = {
  replicaRegions: 'eu-west-1',
  alarmEmail: 'ops@example.com',
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-west-2:123456789012:certificate/1',
};

describe('The rule packs AwsSolutions and Serverless', () => {
  it.each([{ stage: 'dev' }, { stage: 'prod' }, { stage: 'prod', ...EVERYTHING }])(
    'find nothing: %j',
    async (context) => {
      expect(await violationsOf(context)).toEqual([]);
    },
  );
});
