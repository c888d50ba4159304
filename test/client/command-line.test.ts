import { link, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { progressBar } from '../../client/src/command-line/progress-bar.ts';
import { openResult } from '../../client/src/command-line/result-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'result-file-'));
  await writeFile(file('fleet.csv'), 'registration\n');
});
afterEach(() => rm(folder, { recursive: true, force: true }));
const file = (name: string) => join(folder, name);

const openFor = async (baseUrl = 'https://api.example.com/v1') => {
  const input = await stat(file('fleet.csv'), { bigint: true });
  return openResult(file('result.csv'), { input, identity: 'same', baseUrl });
};
/** The names of the files that it writes, other than its lock. */
const WRITTEN = ['result.csv', 'result.csv.part', 'result.csv.part.json', 'result.csv.part.json.new'];

describe('The result of a check', () => {
  it('is readable by its owner only, as are its unfinished files', async () => {
    const modeOf = async (name: string) => ((await stat(file(name))).mode & 0o777).toString(8);
    await writeFile(file('result.csv.part'), 'of an earlier version', { mode: 0o644 });
    const result = await openFor();
    await result.append('text', 1, 0);
    for (const name of await readdir(folder))
      if (name !== 'fleet.csv') expect([name, await modeOf(name)]).toEqual([name, '600']);
    await result.finish();
    await result.close();
    expect(await readdir(folder)).toEqual(['fleet.csv', 'result.csv']);
    expect(await modeOf('result.csv')).toBe('600');
  });

  it.each(WRITTEN)('does not follow a symbolic link at %s', async (name) => {
    await writeFile(file('other'), 'precious');
    await symlink('other', file(name));
    await expect(openFor()).rejects.toThrow(`${name} is a link or a device, not a file: choose another --out.`);
    expect(await readFile(file('other'), 'utf8')).toBe('precious');
  });

  it.each(WRITTEN)('is rejected when the input is also at %s', async (name) => {
    await link(file('fleet.csv'), file(name));
    await expect(openFor()).rejects.toThrow('The result would overwrite the input: choose another --out.');
    expect(await readFile(file('fleet.csv'), 'utf8')).toBe('registration\n');
  });

  it('continues with the same service only, and starts again after an earlier version, which stored no address', async () => {
    const first = await openFor();
    await first.append('text', 1, 0);
    await first.close();
    await expect(openFor('https://other.example.com/v1')).rejects.toThrow(
      /result\.csv\.part has answers from https:\/\/api\.example\.com\/v1: use that address again, or delete .*/,
    );
    const second = await openFor();
    expect([second.isNew, second.progress()]).toMatchObject([false, { rows: 1 }]);
    await second.close();
    const { baseUrl, ...earlier } = JSON.parse(await readFile(file('result.csv.part.json'), 'utf8'));
    await writeFile(file('result.csv.part.json'), JSON.stringify(earlier));
    const third = await openFor();
    expect([baseUrl, third.isNew]).toEqual(['https://api.example.com/v1', true]);
    await third.close();
  });
});

describe('The lock of a result', () => {
  it('keeps another process away while its own runs', async () => {
    const held = file(`result.csv.${process.ppid}.lock`);
    await writeFile(held, '');
    await expect(openFor()).rejects.toThrow(`Process ${process.ppid} is writing ${file('result.csv')}: wait for it`);
    expect((await readdir(folder)).filter((name) => name.includes('part'))).toEqual([]);
  });

  it('is deleted when its process has ended, unless it is not an empty file', async () => {
    // Above the largest pid of any system.
    const [abandoned, other] = ['result.csv.2000000001.lock', 'result.csv.2000000002.lock'];
    await writeFile(file(abandoned), '');
    await writeFile(file(other), 'not a lock');
    await (await openFor()).close();
    expect((await readdir(folder)).filter((name) => name.includes('lock'))).toEqual([other]);
  });
});

describe('The progress bar', () => {
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

  it('shows rows, failures and the time left on a terminal only, and is cleared at the end', () => {
    expect(written(true)).toEqual([
      expect.stringMatching(/^\r█{12}░{12} 1,000 of 2,000 rows, 7 failed, \d+ s left.\[K$/),
      `\r${'█'.repeat(24)} 2,000 of 2,000 rows, 7 failed\x1b[K`,
      '\r\x1b[K',
    ]);
    expect(written(false)).toEqual([]);
  });
});
