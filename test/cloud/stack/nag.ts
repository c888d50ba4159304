import { expect, it } from '@jest/globals';
import type { Stage } from './synthesis.ts';
import { FULL, violationsOf } from './synthesised.ts';

it.each<Stage>([{ stage: 'dev' }, { stage: 'prod' }, FULL])(
  'The rule packs AwsSolutions and Serverless have no findings: %j',
  async (stage) => {
    expect(await violationsOf(stage)).toEqual([]);
  },
);
