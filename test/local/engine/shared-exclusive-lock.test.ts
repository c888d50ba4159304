import { describe, expect, it } from '@jest/globals';
import { createSharedExclusiveLock } from '../../../lib/local/engine/shared-exclusive-lock.ts';

/** Work that runs until `end` is called, and records its start and end. */
const work = (name: string, notes: string[]) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const run = async () => {
    notes.push(`${name} starts`);
    await promise;
    notes.push(`${name} ends`);
  };
  return { run, end: resolve };
};

describe('the shared and exclusive lock', () => {
  it('runs exclusive work alone, in the order of the calls', async () => {
    const lock = createSharedExclusiveLock();
    const notes: string[] = [];
    const [first, second, alone, late] = ['first', 'second', 'alone', 'late'].map((name) => work(name, notes));
    if (!first || !second || !alone || !late) throw new Error('four works');
    const all = [lock.shared(first.run), lock.shared(second.run), lock.exclusive(alone.run), lock.shared(late.run)];
    late.end();
    alone.end();
    second.end();
    first.end();
    await Promise.all(all);
    expect(notes.slice(0, 2)).toEqual(['first starts', 'second starts']);
    expect(notes.slice(4)).toEqual(['alone starts', 'alone ends', 'late starts', 'late ends']);
  });

  it('is released when work fails', async () => {
    const lock = createSharedExclusiveLock();
    const failing = lock.exclusive(() => Promise.reject(new Error('failed')));
    const next = lock.shared(() => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('failed');
    await expect(next).resolves.toBe('done');
  });
});
