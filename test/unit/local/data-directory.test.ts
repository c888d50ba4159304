import { createPublicKey } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseApiKey } from '../../../core/access/api-key.ts';
import type { KeyRecord } from '../../../core/access/key-record.ts';
import { demoKeys } from '../../../local/demo-keys.ts';
import { startLocalService } from '../../../local/service.ts';
import { useFolder } from '../../support/use-folder.ts';

const inParent = useFolder();
/** With all its data in tables, as after a restart. */
let kept: string;
/** A folder for each test, which does not exist yet. */
let folder: string;
let tests = 0;

const start = (dataDirectory = folder) => startLocalService({ port: 0, dynamodbPort: 0, dataDirectory });
const startAndStop = async () => (await start()).stop();
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

beforeAll(async () => {
  kept = folder = inParent('kept');
  await mkdir(folder, { mode: 0o755 });
  await startAndStop();
  expect(await modeOf(folder)).toBe(0o700);
  await chmod(folder, 0o755);
  await chmod(join(folder, 'demo-keys.json'), 0o644);
  // Opening moves the data of the log to a table.
  await startAndStop();
});
beforeEach(() => {
  tests += 1;
  folder = inParent(String(tests));
});

describe('A data folder', () => {
  it('is accessible to its owner only, even if others could read it before', async () => {
    expect(await modeOf(kept)).toBe(0o700);
    expect(await modeOf(join(kept, 'demo-keys.json'))).toBe(0o600);
  });

  it.each([
    ['a cut CURRENT', /^CURRENT$/, truncate, /\(Corruption: .*\): .* delete the folder\.$/],
    ['no manifest', /^MANIFEST/, rm, /\(IO error: .*MANIFEST.*\): .* delete the folder\.$/],
    ['a cut table', /\.ldb$/, truncate, /\): .* delete the folder\.$/],
  ] as const)('with %s ends the start with one sentence', async (_what, pattern, damage, sentence) => {
    await cp(kept, folder, { recursive: true });
    const [name = ''] = (await readdir(folder)).filter((file) => pattern.test(file));
    await damage(join(folder, name));
    await expect(start()).rejects.toMatchObject({ name: 'CannotStart', message: expect.stringMatching(sentence) });
  });

  it('is rejected when it contains other files, which keep their permissions', async () => {
    await mkdir(folder, { mode: 0o755 });
    await writeFile(join(folder, 'letter.txt'), '', { mode: 0o644 });
    await expect(start()).rejects.toThrow('has other files or damaged data: name a new or an empty folder.');
    expect(await readdir(folder)).toEqual(['letter.txt']);
    expect(await modeOf(folder)).toBe(0o755);
    expect(await modeOf(join(folder, 'letter.txt'))).toBe(0o644);
  });

  it('is rejected when it is a file or below one', async () => {
    await writeFile(folder, '');
    const sentence = /^The data folder .* cannot be used \(ENOTDIR.*\): name another one\.$/;
    for (const path of [folder, join(folder, 'below')]) await expect(start(path)).rejects.toThrow(sentence);
  });
});

it('The key of signed answers is kept, for its owner only, and is the one that is published', async () => {
  const file = join(kept, 'signing-key.pem');
  const key = await readFile(file, 'utf8');
  const { origin, stop } = await start(kept);
  const published = await (await fetch(`${origin}/.well-known/jwks.json`)).json();
  await stop();
  expect(published).toMatchObject({ keys: [createPublicKey(key).export({ format: 'jwk' })] });
  expect(await readFile(file, 'utf8')).toEqual(key);
  expect(await modeOf(file)).toBe(0o600);
});

describe('Stored demo keys', () => {
  const records = new Map<string, KeyRecord>();
  const keys = {
    add: async (record: KeyRecord) => void records.set(record.id, record),
    find: async (id: string) => records.get(id),
  } as unknown as Parameters<typeof demoKeys>[0];
  const stored = () => join(folder, 'demo-keys.json');
  beforeEach(() => mkdir(folder));

  it('are kept; one that is missing, or is not stored in the database, is created', async () => {
    const { test, plans } = await demoKeys(keys, new Date(), folder);
    const { free = '' } = plans;
    records.delete(parseApiKey(free)?.id ?? '');
    await writeFile(stored(), JSON.stringify({ plans }));
    const second = await demoKeys(keys, new Date(), folder);
    const created = expect.stringMatching(/^vvc_live_/);
    expect(second).toEqual({ plans: { ...plans, free: created }, test: expect.stringMatching(/^vvc_test_/) });
    expect(new Set([free, test, second.plans.free, second.test]).size).toBe(4);
    expect(JSON.parse(await readFile(stored(), 'utf8'))).toEqual(second);
    expect(await demoKeys(keys, new Date(), folder)).toEqual(second);
  });
});
