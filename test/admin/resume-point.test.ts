import { describe, expect, it } from '@jest/globals';
import { FROM_THE_START, trackResumePoint } from '../../lib/admin/import/resume-point.ts';

describe('The point where an import could go on', () => {
  it('is behind what was handed on last, and names what of it is not stored', () => {
    const progress = trackResumePoint(FROM_THE_START);
    expect(progress.now()).toEqual(FROM_THE_START);
    for (const line of [2, 5, 6]) progress.take(line);
    progress.stored(5);
    expect(progress.now()).toEqual({ line: 7, open: [2, 6] });
    for (const line of [6, 2]) progress.stored(line);
    expect(progress.now()).toEqual({ line: 7, open: [] });
  });

  it('never goes back behind where it was resumed, and forgets nothing that was open then', () => {
    const progress = trackResumePoint({ line: 100, open: [5, 17] });
    expect([4, 5, 17, 99, 100].map(progress.isStored)).toEqual([true, false, false, true, false]);
    expect(progress.now()).toEqual({ line: 100, open: [5, 17] });
    progress.take(5);
    expect(progress.now()).toEqual({ line: 100, open: [5, 17] });
    progress.stored(5);
    expect(progress.now()).toEqual({ line: 100, open: [17] });
    for (const line of [17, 103]) progress.take(line);
    expect(progress.now()).toEqual({ line: 104, open: [17, 103] });
  });
});
