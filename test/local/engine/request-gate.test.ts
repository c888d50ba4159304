import { describe, expect, it } from '@jest/globals';
import { createRequestGate } from '../../../lib/local/engine/request-gate.ts';

/** Work that waits until it is told to end, and notes its start and end. */
const work = (name: string, notes: string[]) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const run = async () => {
    notes.push(`${name} starts`);
    await promise;
    notes.push(`${name} ends`);
  };
  return { run, end: resolve };
};

describe('the request gate', () => {
  it('keeps exclusive work apart from all other work, in the order of arrival', async () => {
    const gate = createRequestGate();
    const notes: string[] = [];
    const [first, second, alone, late] = ['first', 'second', 'alone', 'late'].map((name) => work(name, notes));
    if (!first || !second || !alone || !late) throw new Error('four works');
    const all = [gate.shared(first.run), gate.shared(second.run), gate.exclusive(alone.run), gate.shared(late.run)];
    late.end();
    alone.end();
    second.end();
    first.end();
    await Promise.all(all);
    expect(notes.slice(0, 2)).toEqual(['first starts', 'second starts']);
    expect(notes.slice(4)).toEqual(['alone starts', 'alone ends', 'late starts', 'late ends']);
  });

  it('goes on after work that fails', async () => {
    const gate = createRequestGate();
    const failing = gate.exclusive(() => Promise.reject(new Error('failed')));
    const next = gate.shared(() => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('failed');
    await expect(next).resolves.toBe('done');
  });
});
