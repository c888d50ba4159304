import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';

/** An empty temporary folder for the tests of a file, or for each test. @returns the path of a name in it */
export const useFolder = (scope: 'of the file' | 'of each test' = 'of the file') => {
  let folder: string;
  const [before, after] = scope === 'of the file' ? [beforeAll, afterAll] : [beforeEach, afterEach];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'test-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  return (...names: readonly string[]): string => join(folder, ...names);
};
