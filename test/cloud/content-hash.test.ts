import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { contentHash } from '../../lib/cloud/content-hash.ts';

let bundle: string;

beforeEach(async () => {
  bundle = await mkdtemp(join(tmpdir(), 'bundle-'));
  await writeFile(join(bundle, 'function.js'), 'code');
  await writeFile(join(bundle, 'v1.cache'), 'compiled');
});
afterEach(() => rm(bundle, { recursive: true }));

describe('A deployment', () => {
  it('leaves a function alone of which nothing but the compiled code differs, which is never twice the same', async () => {
    const before = contentHash(bundle);
    await writeFile(join(bundle, 'v1.cache'), 'compiled again');
    expect(contentHash(bundle)).toBe(before);
  });

  it('takes a function along that was compiled by another Node', async () => {
    const before = contentHash(bundle);
    await rename(join(bundle, 'v1.cache'), join(bundle, 'v2.cache'));
    expect(contentHash(bundle)).not.toBe(before);
  });

  it('takes a function along whose code changed', async () => {
    const before = contentHash(bundle);
    await writeFile(join(bundle, 'function.js'), 'other code');
    expect(contentHash(bundle)).not.toBe(before);
  });
});
