import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KeyRecord } from '../../core/access/keys-table.ts';
import { demoKeys } from '../../lib/local/demo-keys.ts';
import { CannotStart } from '../../lib/local/options.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'data-'));
});
afterEach(() => rm(folder, { recursive: true }));

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

  it('stop the start with one sentence when the file cannot be read', async () => {
    await mkdir(keysFile());
    await expect(demoKeys(keys, new Date(), folder)).rejects.toThrow(CannotStart);
  });
});
