import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type BuildOptions, build, stop } from 'esbuild';
import { FUNCTION_IDS, type FunctionId, fileOf } from '../functions/endpoints/endpoint-files.ts';
import { sdkStubs } from './sdk-stubs.ts';

type BundleId = FunctionId | 'probe';

/** The folder of each function's bundle, `index.js` with its `handler`. */
export type Bundles = Readonly<Record<BundleId, string>>;

const ROOT = resolve(import.meta.dirname, '..');

/** The output folder of `cdk synth`, which git ignores. */
const OUTPUT = join(ROOT, 'cdk.out');

const OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions;

const ids: readonly BundleId[] = [...FUNCTION_IDS, 'probe'];

/** Bundles every function, and ends esbuild's process. @throws the error of esbuild */
export const bundleFunctions = async (folder: string = join(OUTPUT, 'functions')): Promise<Bundles> => {
  const folders = ids.map((id) => [id, join(folder, id)] as const);
  // Files of an earlier build would be deployed too.
  await Promise.all(folders.map(([, place]) => rm(place, { recursive: true, force: true })));
  const entryPoints = ids.map((id) => ({ in: fileOf(id, 'handler.ts'), out: `${id}/index` }));
  // First our own code alone, whose functions keep their names for stack traces. This makes a lookup's bundle 1.3 %
  // larger; the names in packages would make it 6 % larger.
  await build({
    ...OPTIONS,
    entryPoints,
    outdir: folder,
    format: 'esm',
    minify: false,
    keepNames: true,
    packages: 'external',
  });
  // These shorten a cold start, the largest measured effect first: CommonJS instead of ES modules, the SDK without
  // unreachable parts, minification, no inline source map.
  await build({
    ...OPTIONS,
    entryPoints: entryPoints.map(({ out }) => ({ in: join(folder, `${out}.js`), out })),
    outdir: folder,
    allowOverwrite: true,
    nodePaths: [join(ROOT, 'node_modules')],
    format: 'cjs',
    // The SDK's `import('node:http')` makes Node load undici, which takes 30 ms. `require` does not.
    supported: { 'dynamic-import': false },
    plugins: [sdkStubs()],
  });
  // Ends the process of esbuild, to free its memory before the synthesis.
  await stop();
  return Object.fromEntries(folders) as Record<BundleId, string>;
};

/**
 * Bundles the operators' command line as `index.mjs`, for the builds of a stage with `intake`.
 * @returns its folder
 * @throws the error of esbuild
 */
export const bundleAdmin = async (): Promise<string> => {
  const folder = join(OUTPUT, 'admin');
  await rm(folder, { recursive: true, force: true });
  await build({
    ...OPTIONS,
    entryPoints: [{ in: 'bin/admin.ts', out: 'index' }],
    outdir: folder,
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    // Packages in CommonJS require Node's own modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  await stop();
  return folder;
};
