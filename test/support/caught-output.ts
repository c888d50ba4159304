import { jest } from '@jest/globals';

/** What this process writes to standard output and error from now on, a write each, until `jest.restoreAllMocks`. */
export const catchOutput = (): readonly string[] => {
  const written: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    jest.spyOn(stream, 'write').mockImplementation((chunk) => {
      written.push(String(chunk));
      return true;
    });
  }
  return written;
};
