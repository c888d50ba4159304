import { describe, expect, it } from '@jest/globals';
import { stopListener } from '../../bin/stop-signals.ts';

describe('A signal that asks the process to stop', () => {
  const requests = (...moments: number[]) => {
    const calls: string[] = [];
    let moment = 0;
    const listener = stopListener(
      { stop: () => calls.push('stop'), stopNow: () => calls.push('stop now') },
      () => moment,
    );
    for (const at of moments) {
      moment = at;
      listener();
    }
    return calls;
  };

  it('is one request when npm repeats it within a second', () => {
    expect(requests(500, 501, 1_499)).toEqual(['stop']);
  });

  it('is a second request when it comes a second later', () => {
    expect(requests(500, 1_500)).toEqual(['stop', 'stop now']);
  });
});
