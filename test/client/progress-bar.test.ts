import { describe, expect, it } from '@jest/globals';
import { progressBar } from '../../client/src/command-line/progress-bar.ts';

/** The output of a bar of 2,000 rows. */
const written = (isTTY: boolean) => {
  const texts: string[] = [];
  const stream = { isTTY, write: (text: string) => texts.push(text) } as unknown as NodeJS.WriteStream;
  const bar = progressBar(stream, 2_000, 500);
  bar.show(1_000, 7);
  bar.show(2_000, 7);
  bar.clear();
  return texts;
};

describe('The progress bar of the client', () => {
  it('shows rows, failures and the time left on a terminal, and is cleared at the end', () => {
    expect(written(true)).toEqual([
      expect.stringMatching(/^\r█{12}░{12} 1,000 of 2,000 rows, 7 failed, \d+ s left.\[K$/),
      `\r${'█'.repeat(24)} 2,000 of 2,000 rows, 7 failed\x1b[K`,
      '\r\x1b[K',
    ]);
  });

  it('writes nothing where there is no terminal', () => {
    expect(written(false)).toEqual([]);
  });
});
