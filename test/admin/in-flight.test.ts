import { describe, expect, it } from '@jest/globals';
import { inFlight } from '../../lib/admin/file-command/in-flight.ts';

describe('inFlight', () => {
  it.each(['run', 'settled'] as const)('throws the first error from %s once nothing is in flight', async (next) => {
    const tasks = inFlight(2);
    const slow = Promise.withResolvers<void>();
    const ended: string[] = [];
    await tasks.run(() => slow.promise.then(() => void ended.push('slow')));
    await tasks.run(() => Promise.reject(new Error('first')));
    const begun = tasks[next](async () => void ended.push('begun'));
    const thrown = begun.catch((error: Error) => void ended.push(error.message));
    // Time for an error that is thrown too early.
    await new Promise(setImmediate);
    slow.resolve();
    await thrown;
    expect(ended).toEqual(['slow', 'first']);
  });
});
