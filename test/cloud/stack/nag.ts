import { describe, expect, it } from '@jest/globals';
import type { Stage } from './synthesis.ts';
import { violationsOf } from './synthesised.ts';

const EVERYTHING = {
  alarmEmail: 'ops@example.com',
  domain: { name: 'api.example.com', certificateArn: 'arn:aws:acm:eu-west-2:123456789012:certificate/1' },
};

describe('The rule packs AwsSolutions and Serverless', () => {
  it.each<Stage>([{ stage: 'dev' }, { stage: 'prod' }, { stage: 'prod', settings: EVERYTHING }])(
    'have no findings: %j',
    async (stage) => {
      expect(await violationsOf(stage)).toEqual([]);
    },
  );
});
