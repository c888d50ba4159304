import { describe, expect, it } from '@jest/globals';
import { runSteps, type Step } from '../../lib/shakedown/run-steps.ts';

const succeeding = async () => undefined;
const failing = async () => {
  throw new Error('there is no such stack');
};

describe('The steps of a shakedown', () => {
  const outcomes = async (steps: readonly Step<undefined>[], isAws = true) => {
    const reported: string[] = [];
    const report = ({ outcome, reason }: { outcome: string; reason?: string }) =>
      void reported.push(reason === undefined ? outcome : `${outcome}: ${reason}`);
    await runSteps(steps, undefined, isAws, report);
    return reported;
  };

  it('run whatever became of the others', async () => {
    const steps = [succeeding, failing, succeeding].map((run) => ({ title: 'a step', run }));
    expect(await outcomes(steps)).toEqual(['passed', 'failed: there is no such stack', 'passed']);
  });

  it('are not seen when nothing shows them, and on an emulator when only AWS does', async () => {
    const steps = [{ title: 'e-mails' }, { title: 'CodeDeploy', run: succeeding, isAwsOnly: true }];
    expect(await outcomes(steps)).toEqual(['not seen: look at it by hand', 'passed']);
    expect((await outcomes(steps, false))[1]).toBe('not seen: an emulator does not have it');
  });

  it('are not seen when the first one has failed, except the clean-up', async () => {
    const steps = [failing, succeeding, succeeding].map((run, index) => ({
      title: 'a step',
      run,
      isAlways: index === 2,
    }));
    expect(await outcomes(steps)).toEqual([
      'failed: there is no such stack',
      'not seen: the first step failed',
      'passed',
    ]);
  });
});
