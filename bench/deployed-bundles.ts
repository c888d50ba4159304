import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunctions, type FunctionId } from '../lib/cloud/bundles.ts';

/** The functions as they are deployed, in a folder of their own. */
export const deployedBundles = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bundles-'));
  const bundles = await bundleFunctions(folder);
  return {
    ids: Object.keys(bundles) as readonly FunctionId[],
    folderOf: (id: FunctionId): string => bundles[id],
    fileOf: (id: FunctionId): string => join(bundles[id], 'index.js'),
    remove: () => rm(folder, { recursive: true }),
  };
};
