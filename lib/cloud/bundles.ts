import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build, stop } from 'esbuild';
import { FUNCTION_IDS, type FunctionId, fileOf } from '../endpoint-files.ts';
import { sdkStubs } from './sdk-stubs.ts';

type BundleId = FunctionId | 'probe';

/** The folder of each function's bundle, including the probe's. It holds one `index.js`, which exports `handler`. */
export type Bundles = Readonly<Record<BundleId, string>>;

const ROOT = resolve(import.meta.dirname, '../..');

/** Inside the output folder of `cdk synth`, which git ignores. */
const DEFAULT_FOLDER = join(ROOT, 'cdk.out', 'functions');

const ids: readonly BundleId[] = [...FUNCTION_IDS, 'probe'];

/**
 * What shortens a cold start, largest measured effect first: CommonJS instead of ES modules, the SDK without unreachable parts,
 * minification, no inline source map.
 */
const bundle = (folder: string, withSdkClient: boolean, withSourceMaps: boolean) =>
  build({
    absWorkingDir: ROOT,
    entryPoints: ids.map((id) => ({ in: fileOf(id, 'handler.ts'), out: `${id}/index` })),
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    // The SDK's `import('node:http')` makes Node load undici, which takes 30 ms. `require` does not.
    supported: { 'dynamic-import': false },
    // Beside the bundle, which does not mention it and so has the same bytes.
    sourcemap: withSourceMaps && 'external',
    logLevel: 'warning',
    // Fixed at build time: the stubs work only with our own client.
    define: { 'process.env.DYNAMODB_CLIENT': JSON.stringify(withSdkClient ? 'sdk' : '') },
    plugins: withSdkClient ? [] : [sdkStubs()],
  });

/** Identifies the code of a bundle. A deployed version has it in its description. */
export const bundleHash = (folder: string): string =>
  `sha256:${createHash('sha256')
    .update(readFileSync(join(folder, 'index.js')))
    .digest('hex')}`;

/**
 * Bundles every function in one run of esbuild, and ends esbuild's process. `bin/stack-frame.ts` calls it at other commits.
 * @param withSdkClient uses the SDK's own protocol and HTTP client (docs/dynamodb-client.md)
 * @param withSourceMaps writes an `index.js.map` beside each bundle; it must not be deployed
 * @throws the error of esbuild
 */
export const bundleFunctions = async (
  folder: string = DEFAULT_FOLDER,
  withSdkClient: boolean = process.env.DYNAMODB_CLIENT === 'sdk',
  withSourceMaps: boolean = false,
): Promise<Bundles> => {
  const folders = ids.map((id) => [id, join(folder, id)] as const);
  // Files of an earlier build would be deployed too.
  await Promise.all(folders.map(([, place]) => rm(place, { recursive: true, force: true })));
  await bundle(folder, withSdkClient, withSourceMaps);
  // Frees the memory of esbuild's process before the synthesis.
  await stop();
  return Object.fromEntries(folders) as Record<BundleId, string>;
};
