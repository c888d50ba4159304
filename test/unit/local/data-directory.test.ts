import { createPublicKey } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { startLocalService } from '../../../local/service.ts';
import { useFolder } from '../../support/use-folder.ts';

const inParent = useFolder();
/** A folder for each test, which does not exist yet. */
let folder: string;
let tests = 0;
beforeEach(() => {
  tests += 1;
  folder = inParent(String(tests));
});

const start = (dataDirectory = folder) => startLocalService({ port: 0, dynamodbPort: 0, dataDirectory });
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

// start.test.ts starts a service again in the folder of an earlier one.
describe('A data folder', () => {
  it('is accessible to its owner only, even if others could read it before', async () => {
    await (await start()).stop();
    expect(await modeOf(folder)).toBe(0o700);
    await chmod(folder, 0o755);
    await (await start()).stop();
    expect(await modeOf(folder)).toBe(0o700);
  });

  it.each([/^CURRENT$/, /\.ldb$/])('ends the start with one sentence when the file %s is cut', async (pattern) => {
    // The second start moves the data of the log to a table.
    for (let starts = 0; starts < 2; starts += 1) await (await start()).stop();
    const cut = (await readdir(folder)).find((name) => pattern.test(name)) ?? '';
    await truncate(join(folder, cut));
    await expect(start()).rejects.toMatchObject({
      name: 'CannotStart',
      message: expect.stringMatching(/^The data in .*\): .* delete the folder\.$/),
    });
  });

  it('is rejected when it contains other files, and stays as it is', async () => {
    await mkdir(folder, { mode: 0o755 });
    await writeFile(join(folder, 'letter.txt'), '');
    await expect(start()).rejects.toThrow('has other files or damaged data: name a new or an empty folder.');
    expect(await readdir(folder)).toEqual(['letter.txt']);
    expect(await modeOf(folder)).toBe(0o755);
  });

  it('is rejected when it is a file or below one', async () => {
    await writeFile(folder, '');
    const sentence = /^The data folder .* cannot be used \(ENOTDIR.*\): name another one\.$/;
    for (const path of [folder, join(folder, 'below')]) await expect(start(path)).rejects.toThrow(sentence);
  });

  it('keeps the key of signed answers, which is the one that is published', async () => {
    await (await start()).stop();
    const key = await readFile(join(folder, 'signing-key.pem'), 'utf8');
    const { origin, stop } = await start();
    const published = await (await fetch(`${origin}/.well-known/jwks.json`)).json();
    await stop();
    expect(published).toMatchObject({ keys: [createPublicKey(key).export({ format: 'jwk' })] });
  });
});
