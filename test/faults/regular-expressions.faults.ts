import { describe, expect, it } from '@jest/globals';
import { checkSync } from 'recheck';
import { patternsInSource } from './fuzz/patterns-in-source.ts';
import { bySize } from './size.ts';

// In this process: the other ways need Java or a platform's binary.
process.env.RECHECK_SYNC_BACKEND = 'pure';

/** Milliseconds for one expression; the same search in every run. */
const parameters = { timeout: bySize(60_000, 300_000), randomSeed: 1 };

const { patterns, madeAtRunTime } = patternsInSource();

/** Patterns of the endpoint table, of the body parser and of all code that reads what callers and operators write. */
describe('Regular expressions', () => {
  it('are not made at run time, where this test could not read them', () => {
    expect(patterns.length).toBeGreaterThan(20);
    expect(madeAtRunTime).toEqual([]);
  });

  it.each(patterns)('take linear time: /$source/$flags of $file', ({ source, flags }) => {
    expect(checkSync(source, flags, parameters)).toMatchObject({ status: 'safe' });
  });

  it.each([/(a+)+$/, /^(a|a)*$/, /^(\w+\s?)*$/, /^([a-z0-9]+-?)*$/, /\s+$/, /^\s*a*a*b/, /=.*;.*!/, /\d+\d+x/])(
    'would be found when they do not: %s',
    ({ source, flags }) => {
      expect(checkSync(source, flags, parameters)).toMatchObject({ status: 'vulnerable' });
    },
  );
});
