import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LOCAL_TABLE_NAMES } from '../../functions/tables.ts';
import { type Bundles, bundleFunctions } from '../../lib/cloud/bundles.ts';
import { addCodeCaches, canCompileFor, LAMBDA_FLAGS } from '../../lib/code-cache/code-caches.ts';
import { localEnvironment } from '../../lib/local/environment.ts';

const CACHE = `${process.version}-${process.platform}-${process.arch}.cache`;

let folder: string;
let bundles: Bundles;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'code-caches-'));
  bundles = await bundleFunctions(folder);
  await addCodeCaches(bundles);
});
afterAll(() => rm(folder, { recursive: true }));

const load = (bundle: string, flags: readonly string[]) => {
  const program = join(import.meta.dirname, 'loading-process.cjs');
  const env = localEnvironment('http://127.0.0.1:1', LOCAL_TABLE_NAMES);
  return JSON.parse(
    execFileSync(process.execPath, [...flags, program, join(bundle, 'index.js')], { env, encoding: 'utf8' }),
  );
};

const copyOf = async (bundle: string): Promise<string> => {
  const copy = await mkdtemp(join(folder, 'copy-'));
  await cp(bundle, copy, { recursive: true });
  return copy;
};

describe('Code that was compiled in advance', () => {
  it('is there for every function', async () => {
    for (const bundle of Object.values(bundles)) expect(await readdir(bundle)).toContain(CACHE);
  });

  it('is taken by Node as Lambda starts it, whatever memory it gives', () => {
    const flags = [...LAMBDA_FLAGS, '--max-old-space-size=460', '--max-semi-space-size=12'];
    for (const bundle of Object.values(bundles)) {
      expect(load(bundle, flags)).toEqual({ rejected: false, handler: 'function' });
    }
  });

  it('is passed over by Node with other flags', () => {
    expect(load(bundles.compliance, [])).toEqual({ rejected: true, handler: 'function' });
  });

  it('is passed over by another version, system or processor', async () => {
    const bundle = await copyOf(bundles.compliance);
    await rename(join(bundle, CACHE), join(bundle, 'v24.0.0-linux-arm64.cache'));
    expect(load(bundle, LAMBDA_FLAGS)).toEqual({ handler: 'function' });
  });

  it('is passed over when it is damaged', async () => {
    const bundle = await copyOf(bundles.compliance);
    await writeFile(join(bundle, CACHE), 'damaged');
    expect(load(bundle, LAMBDA_FLAGS)).toEqual({ rejected: true, handler: 'function' });
  });

  it('is made for this processor only', () => {
    const here = process.arch === 'x64' ? 'x86_64' : process.arch;
    expect(['arm64', 'x86_64'].filter(canCompileFor)).toEqual(process.platform === 'linux' ? [here] : []);
  });

  it('is not made of a function that does not answer as documented', async () => {
    const bundle = await copyOf(bundles.compliance);
    await writeFile(
      join(bundle, 'function.js'),
      '(function (exports) { exports.handler = async () => ({ statusCode: 500 }); })',
    );
    await expect(addCodeCaches({ ...bundles, compliance: bundle })).rejects.toThrow('could not be compiled in advance');
  });
});
