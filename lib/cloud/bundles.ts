import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build, stop } from 'esbuild';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import { type FunctionId, fileOf } from '../endpoint-files.ts';
import { sdkStubs } from './sdk-stubs.ts';

type BundleId = FunctionId | 'probe';

/** The folder of each function's bundle, the probe's included: one `index.js` that exports its `handler`. */
export type Bundles = Readonly<Record<BundleId, string>>;

const ROOT = resolve(import.meta.dirname, '../..');

/** In the output folder of `cdk synth`, which git ignores. */
const DEFAULT_FOLDER = join(ROOT, 'cdk.out', 'functions');

const ids: readonly BundleId[] = [...(Object.keys(endpoints) as EndpointId[]), 'not-found', 'probe'];

/**
 * The options that shorten a cold start, by measured effect: CommonJS instead of ES modules, the SDK without unreachable
 * parts, minified, no inline source map.
 */
const bundle = (folder: string, stock: boolean) =>
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
    // `import('node:http')`, as the SDK has it, makes Node load undici for one of its exports: 30 ms. `require` does not.
    supported: { 'dynamic-import': false },
    sourcemap: false,
    logLevel: 'warning',
    // The stubs fit our client only, so a bundle never reads the switch where it runs.
    define: { 'process.env.DYNAMODB_CLIENT': JSON.stringify(stock ? 'sdk' : '') },
    plugins: stock ? [] : [sdkStubs()],
  });

/**
 * Bundles every function in one run of esbuild, whose process then ends.
 * @param stock with the SDK's own client (docs/dynamodb-client.md)
 * @throws the error of esbuild
 */
export const bundleFunctions = async (
  folder: string = DEFAULT_FOLDER,
  stock: boolean = process.env.DYNAMODB_CLIENT === 'sdk',
): Promise<Bundles> => {
  const folders = ids.map((id) => [id, join(folder, id)] as const);
  // Files of an earlier build would be deployed too.
  await Promise.all(folders.map(([, place]) => rm(place, { recursive: true, force: true })));
  await bundle(folder, stock);
  // Otherwise its process would keep its memory during the synthesis.
  await stop();
  return Object.fromEntries(folders) as Record<BundleId, string>;
};
