import { describe, expect, it } from '@jest/globals';
import { FROM_THE_START, trackResumePoint } from '../../lib/admin/file-command/resume-point.ts';

const LINES = [2, 5, 17, 99, 100, 103];

/** The point of an import that has reached these records and stored all but the pending ones. */
const pointAfter = (lines: readonly number[], pending: readonly number[] = []) => {
  const progress = trackResumePoint(FROM_THE_START);
  for (const line of lines) progress.reach(line);
  for (const line of lines.filter((each) => !pending.includes(each))) progress.settled(line);
  return progress.now();
};

describe('A resume point', () => {
  it('is the line after the last record, with the lines that are not stored yet', () => {
    const progress = trackResumePoint(FROM_THE_START);
    expect(progress.now()).toEqual(FROM_THE_START);
    expect([2, 5, 6].map(progress.reach)).toEqual([true, true, true]);
    progress.settled(5);
    expect(progress.now()).toMatchObject({ line: 7, pending: [2, 6] });
    for (const line of [6, 2]) progress.settled(line);
    expect(progress.now()).toMatchObject({ line: 7, pending: [] });
  });

  it('keeps every pending line when another one is confirmed twice', () => {
    const progress = trackResumePoint(FROM_THE_START);
    for (const line of [2, 5, 6]) progress.reach(line);
    for (const line of [5, 5]) progress.settled(line);
    expect(progress.now()).toMatchObject({ pending: [2, 6] });
  });

  it('never moves back after a resume, and keeps the lines that were pending then', () => {
    const start = pointAfter([2, 5, 17, 99], [5, 17]);
    const progress = trackResumePoint(start);
    expect(progress.now()).toEqual(start);
    expect([2, 5].map(progress.reach)).toEqual([false, true]);
    expect(progress.now()).toEqual(start);
    progress.settled(5);
    expect(progress.now()).toEqual({ ...start, pending: [17] });
    expect([17, 99, 103].map(progress.reach)).toEqual([true, false, true]);
    expect(progress.now()).toMatchObject({ line: 104, pending: [17, 103] });
  });

  it('is the same wherever an import was stopped before', () => {
    for (let stop = 0; stop <= LINES.length; stop += 1) {
      const progress = trackResumePoint(pointAfter(LINES.slice(0, stop)));
      for (const line of LINES) {
        progress.reach(line);
        progress.settled(line);
      }
      progress.end();
      expect(progress.now()).toEqual(pointAfter(LINES));
    }
  });

  it.each([
    ['one more', [2, 3, 5, 17]],
    ['one less', [2, 17]],
    ['another', [3, 5, 17]],
  ])('is rejected when %s of the records before it is valid', (_case, lines) => {
    const start = pointAfter([2, 5, 17]);
    const resumed = () => {
      const progress = trackResumePoint(start);
      for (const line of lines) progress.reach(line);
      return progress;
    };
    expect(() => resumed().reach(18)).toThrow(/which rows are rejected has changed/);
    expect(() => resumed().end()).toThrow(/which rows are rejected has changed/);
    expect(resumed().now()).toMatchObject({ line: start.line, validHash: start.validHash });
  });
});
