import { describe, expect, it } from '@jest/globals';
import { CleanUp } from '../../lib/local/sam/clean-up.ts';

describe('Cleaning up', () => {
  it('ends from last to first, each once, even when one cannot be ended', async () => {
    const ended: string[] = [];
    const cleanUp = new CleanUp();
    cleanUp.defer(() => ended.push('first'));
    cleanUp.defer(async () => {
      throw new Error('stuck');
    });
    cleanUp.defer(async () => ended.push('last'));
    await expect(Promise.all([cleanUp.run(), cleanUp.run()])).rejects.toThrow('stuck');
    expect(ended).toEqual(['last', 'first']);
  });

  it('takes nothing new once it has begun', async () => {
    const cleanUp = new CleanUp();
    const running = cleanUp.run();
    expect(cleanUp.hasStarted).toBe(true);
    expect(() => cleanUp.defer(() => undefined)).toThrow('being stopped');
    await running;
  });
});
