import { chmod, mkdir, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KeyRecord } from '../../../core/access/keys-table.ts';
import { demoKeys } from '../../../lib/local/demo-keys.ts';
import { explainDataDirectory } from '../../../lib/local/engine/data-directory.ts';
import { openStore } from '../../../lib/local/engine/dynalite-store.ts';
import { CannotStart } from '../../../lib/local/options.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'data-'));
});
afterEach(() => rm(folder, { recursive: true }));

const dataDirectory = () => join(folder, 'data');
const open = (force = false) => openStore({ dataDirectory: dataDirectory(), force });

/** A data folder with one record, closed. */
const writeData = async () => {
  const store = await open();
  await store.commit([{ type: 'put', key: 'kept', value: { a: 1 } }]);
  await store.close();
};

const files = async (pattern: RegExp) => (await readdir(dataDirectory())).filter((name) => pattern.test(name));
const pathOf = async (pattern: RegExp) => join(dataDirectory(), (await files(pattern))[0] ?? '');
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('A data folder', () => {
  it('opens again after it was closed, and after its service was killed', async () => {
    await writeData();
    await (await open()).close();
    await rm(await pathOf(/^checksums/));
    await (await open()).close();
  });

  it('is accessible to its owner only, even with an open umask and after others could read it', async () => {
    const umask = process.umask(0);
    try {
      await writeData();
      expect(await modeOf(dataDirectory())).toBe(0o700);
      await chmod(dataDirectory(), 0o777);
      const log = await pathOf(/\.log$/);
      await chmod(log, 0o666);
      await writeFile(join(dataDirectory(), 'demo-keys.json'), '{}', { mode: 0o644 });
      await (await open()).close();
      expect(await modeOf(dataDirectory())).toBe(0o700);
      expect(await modeOf(join(dataDirectory(), 'demo-keys.json'))).toBe(0o600);
    } finally {
      process.umask(umask);
    }
  });

  it.each([
    ['a log that is missing', /\.log$/, (path: string) => rm(path)],
    ['a log that was cut', /\.log$/, (path: string) => truncate(path, 5)],
    ['a missing CURRENT', /^CURRENT$/, (path: string) => rm(path)],
    ['a missing manifest', /^MANIFEST/, (path: string) => rm(path)],
  ] as const)('with %s is used only with --force', async (_what, pattern, damage) => {
    await writeData();
    await damage(await pathOf(pattern));
    await expect(open()).rejects.toThrow(/^The data in .* is damaged \(.*\): restore a copy, or start with --force/);
    await expect(open()).rejects.toMatchObject({ isDamage: true });
    await (await open(true)).close();
    await (await open()).close();
  });

  it('is read completely when its service was killed', async () => {
    await writeData();
    // Opening writes what was in the log to a table.
    await (await open()).close();
    await rm(await pathOf(/^checksums/));
    await truncate(await pathOf(/\.ldb$/), 10);
    await expect(open()).rejects.toThrow(/is damaged/);
    await (await open(true)).close();
  });

  it('is not created where a file exists', async () => {
    await writeFile(dataDirectory(), '');
    await expect(open()).rejects.toThrow(`The data folder ${dataDirectory()} is a file, not a folder.`);
    await expect(openStore({ dataDirectory: join(dataDirectory(), 'below') })).rejects.toThrow(/lies below a file/);
  });

  it('is not created among other files', async () => {
    await mkdir(dataDirectory());
    await writeFile(join(dataDirectory(), 'letter.txt'), '');
    await expect(open()).rejects.toThrow(
      `The folder ${dataDirectory()} contains other files: name a new or an empty folder.`,
    );
  });

  (process.platform === 'linux' ? it : it.skip)('is rejected at once where no folder can be created', async () => {
    await expect(openStore({ dataDirectory: '/proc/x' })).rejects.toThrow(
      'The data folder /proc/x cannot be created there.',
    );
  });

  it.each([
    ['IO error: x/LOCK: Read-only file system', 'LEVEL_IO_ERROR', 'its disk is read-only'],
    ['IO error: x/1.dbtmp: No space left on device', 'LEVEL_IO_ERROR', 'its disk is full'],
    ['IO error: x/LOCK: Permission denied', 'LEVEL_IO_ERROR', 'access is denied'],
    ['IO error: lock x/LOCK: already held by process', 'LEVEL_LOCKED', 'is another service running on it?'],
    ['Corruption: 1 missing files', 'LEVEL_CORRUPTION', 'is damaged'],
  ])('explains "%s"', (message, code, sentence) => {
    const cause = Object.assign(new Error(message), { code });
    const error = new Error('Database failed to open', { cause });
    expect(explainDataDirectory('x', error).message).toContain(sentence);
  });
});

describe('Stored demo keys', () => {
  const keys = { add: async () => undefined, find: async () => undefined } as unknown as Parameters<typeof demoKeys>[0];
  const keysFile = () => join(folder, 'demo-keys.json');

  it.each(['null', '[]', '"text"', '{"free":', '{"free":1}'])(
    'are created again when the file contains %s',
    async (text) => {
      await writeFile(keysFile(), text);
      expect(await demoKeys(keys, new Date(), folder)).toMatchObject({ free: expect.stringMatching(/^vvc_live_/) });
    },
  );

  it('are kept when they are live, and replaced when they are not; a missing test key is added', async () => {
    const records = new Map<string, KeyRecord>();
    const stored = {
      add: async (record: KeyRecord) => void records.set(record.id, record),
      find: async (id: string) => records.get(id),
    } as unknown as Parameters<typeof demoKeys>[0];
    const { test, ...first } = await demoKeys(stored, new Date(), folder);
    // As version 0.2.0 stored them: test keys only.
    await writeFile(keysFile(), JSON.stringify({ ...first, free: test }));
    const second = await demoKeys(stored, new Date(), folder);
    const anew = { free: expect.stringMatching(/^vvc_live_/), test: expect.stringMatching(/^vvc_test_/) };
    expect(second).toEqual({ ...first, ...anew });
    expect(new Set([first.free, test, second.free, second.test]).size).toBe(4);
    expect(await demoKeys(stored, new Date(), folder)).toEqual(second);
  });

  it('end the start with one sentence when the file cannot be read', async () => {
    await mkdir(keysFile());
    await expect(demoKeys(keys, new Date(), folder)).rejects.toThrow(CannotStart);
  });
});
