import { chmod, mkdir, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startLocalService } from '../../lib/local/service.ts';

let parent: string;
let folder: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'data-'));
  folder = join(parent, 'data');
});
afterEach(() => rm(parent, { recursive: true }));

const start = (dataDirectory = folder) => startLocalService({ port: 0, dynamodbPort: 0, dataDirectory });
const startAndStop = async () => (await start()).stop();

const pathOf = async (pattern: RegExp) => {
  const names = (await readdir(folder)).filter((name) => pattern.test(name));
  expect(names).toHaveLength(1);
  return join(folder, names[0] ?? '');
};
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('A data folder', () => {
  it('is accessible to its owner only, even if others could read it before', async () => {
    await mkdir(folder, { mode: 0o755 });
    await startAndStop();
    expect(await modeOf(folder)).toBe(0o700);
    await chmod(folder, 0o755);
    await chmod(join(folder, 'demo-keys.json'), 0o644);
    await startAndStop();
    expect([await modeOf(folder), await modeOf(join(folder, 'demo-keys.json'))]).toEqual([0o700, 0o600]);
  });

  it.each([
    ['no CURRENT', /^CURRENT$/, rm, /has other files or damaged data: name a new or an empty folder\.$/],
    ['a cut CURRENT', /^CURRENT$/, truncate, /\(Corruption: .*\): .* delete the folder\.$/],
    ['no manifest', /^MANIFEST/, rm, /\(IO error: .*MANIFEST.*\): .* delete the folder\.$/],
    ['a cut manifest', /^MANIFEST/, truncate, /\(Corruption: .*\): .* delete the folder\.$/],
    ['a missing table', /\.ldb$/, rm, /\(Corruption: .*\.ldb\): .* delete the folder\.$/],
    ['a cut table', /\.ldb$/, truncate, /\): .* delete the folder\.$/],
  ] as const)('with %s ends the start with one sentence', async (_what, pattern, damage, sentence) => {
    await startAndStop();
    // Opening moves the data of the log to a table.
    await startAndStop();
    await damage(await pathOf(pattern));
    await expect(start()).rejects.toMatchObject({ name: 'CannotStart', message: expect.stringMatching(sentence) });
  });

  it('contains the sample data again after its damaged data was deleted', async () => {
    await startAndStop();
    await rm(folder, { recursive: true });
    await startAndStop();
  });

  it('is rejected when it contains other files, which keep their permissions', async () => {
    await mkdir(folder, { mode: 0o755 });
    await writeFile(join(folder, 'letter.txt'), '', { mode: 0o644 });
    await expect(start()).rejects.toThrow(
      `The folder ${folder} has other files or damaged data: name a new or an empty folder.`,
    );
    expect(await readdir(folder)).toEqual(['letter.txt']);
    expect([await modeOf(folder), await modeOf(join(folder, 'letter.txt'))]).toEqual([0o755, 0o644]);
  });

  it.each([
    ['a file', '', /ENOTDIR/],
    ['below a file', 'below', /ENOTDIR/],
  ])('is rejected when it is %s', async (_what, below, reason) => {
    await writeFile(folder, '');
    const error = { name: 'CannotStart', message: expect.stringMatching(/: name another one\.$/) };
    await expect(start(join(folder, below))).rejects.toMatchObject(error);
    await expect(start(join(folder, below))).rejects.toThrow(reason);
  });

  (process.platform === 'linux' ? it : it.skip)('is rejected at once where no folder can be created', async () => {
    await expect(start('/proc/x')).rejects.toThrow('The data folder /proc/x cannot be used (ENOENT: no such file');
  });
});
