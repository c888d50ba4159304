import { link, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeFileWhole } from '../../client/src/command-line/output-file.ts';
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
    await result.append('text', { rows: 1, counts: {} });
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
    await expect(openFor()).rejects.toThrow(`${name} is a link or a device, not a file: name another one.`);
    expect(await readFile(file('other'), 'utf8')).toBe('precious');
  });

  it.each(WRITTEN)('is rejected when the input is also at %s', async (name) => {
    await link(file('fleet.csv'), file(name));
    await expect(openFor()).rejects.toThrow('The result would overwrite the input: choose another --out.');
    expect(await readFile(file('fleet.csv'), 'utf8')).toBe('registration\n');
  });

  it('continues with the same service only, and starts again after an earlier version, which stored no address', async () => {
    const first = await openFor();
    await first.append('text', { rows: 1, counts: {} });
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

describe('A file that a check writes', () => {
  const write = async (texts: AsyncIterable<string>, force = false) => {
    const input = await stat(file('fleet.csv'), { bigint: true });
    const isOwn = (header: readonly string[]) => `${header}` === 'registration,what';
    return writeFileWhole(file('list.csv'), { input, isOwn, force }, texts);
  };
  async function* lines(...texts: string[]) {
    yield* texts;
  }

  it.each([
    ['is empty', '', true],
    ['is an earlier result', '\ufeffregistration;what\r\nAB12CDE;MOT\r\n', true],
    ['is another list', 'registration,what,note\n', false],
    ['is no CSV', '"', false],
    ['is binary', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]), false],
  ])('replaces what is there only when that %s', async (_title, before, isReplaced) => {
    await writeFile(file('list.csv'), before);
    const outcome = await write(lines('new')).catch((error: Error) => error.message);
    const sentence = `${file('list.csv')} exists and is not an earlier result: name another file, or overwrite it with --force.`;
    expect(outcome).toBe(isReplaced ? undefined : sentence);
    expect(await readFile(file('list.csv'))).toEqual(Buffer.from(isReplaced ? 'new' : before));
    await write(lines('forced'), true);
    expect(await readFile(file('list.csv'), 'utf8')).toBe('forced');
    expect(await readdir(folder)).toEqual(['fleet.csv', 'list.csv']);
  });

  it('leaves what is there when the list ends with an error', async () => {
    await writeFile(file('list.csv'), 'registration,what\n');
    const failing = async function* () {
      yield* lines('half');
      throw new Error('stopped');
    };
    await expect(write(failing())).rejects.toThrow('stopped');
    expect(await readFile(file('list.csv'), 'utf8')).toBe('registration,what\n');
    expect(await readdir(folder)).toEqual(['fleet.csv', 'list.csv']);
  });
});

describe('The progress bar', () => {
  const COUNTS = '40,000 insured, 3,000 not insured, 1,990 unknown, 10 invalid';
  /** What a bar shows of 100,000 rows, after 45,000 and then at a wait. */
  const shown = (stream: object) => {
    const texts: string[] = [];
    const bar = progressBar({ ...stream, write: (text: string) => texts.push(text) } as unknown as NodeJS.WriteStream);
    bar.show(0, 100_000, '');
    bar.show(45_000, 100_000, COUNTS);
    bar.showWait(new Date(2026, 10, 22, 12, 46));
    bar.show(100_000, 100_000, COUNTS);
    bar.clear();
    return texts.map((text) => text.replace(/^\r|.\[K$/g, '').replace(/\d+ s left/, '9 s left'));
  };

  it('fits into the width of the terminal', () => {
    const at120 = shown({ isTTY: true, columns: 120 });
    expect(at120).toEqual([
      `${'░'.repeat(24)} 0 %`,
      `${'█'.repeat(11)}${'░'.repeat(13)} 45 %, 9 s left: ${COUNTS}`,
      expect.stringMatching(/^█+░+ 45 %, waiting for the limit until 12:46:00: 40,000 insured, .* 10 invalid$/),
      `${'█'.repeat(24)} 100 %: ${COUNTS}`,
      '',
    ]);
    const at80 = shown({ isTTY: true, columns: 80 });
    expect(Math.max(...at80.map((text) => text.length))).toBeLessThan(80);
    expect(at80.slice(1, 3)).toEqual([
      `45 %, 9 s left: ${COUNTS}`,
      '45 %, waiting for the limit until 12:46:00: 40,000 insured, 3,000 not insured,…',
    ]);
  });

  it('writes nothing to a file or a pipe', () => {
    expect(shown({ isTTY: false })).toEqual([]);
  });
});
