import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin, stop } from 'esbuild';
import { endpoints } from '../../functions/endpoints/table.ts';
import type { ServedEndpoint } from '../../functions/http/endpoint.ts';
import { FUNCTION_IDS, type FunctionId, fileOf } from '../endpoint-files.ts';
import { sdkStubs } from './sdk-stubs.ts';

type BundleId = FunctionId | 'probe';

/** The folder of each function's bundle: `index.js` with its `handler`, and `signing.js` if it may sign answers. */
export type Bundles = Readonly<Record<BundleId, string>>;

/** The folders of the intake's bundles, an `index.mjs` each: the function that starts builds, and their program. */
export type IntakeBundles = Readonly<Record<'starter' | 'program', string>>;

const ROOT = resolve(import.meta.dirname, '../..');

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

/** In a file of its own, so that a request without a signature does not load it. */
const signingFile: Plugin = {
  name: 'signing-file',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/signing\/kms\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './signing.js', external: true } : undefined,
    ),
};

const signs = (id: BundleId): boolean =>
  (endpoints as Partial<Record<BundleId, ServedEndpoint>>)[id]?.signing?.includes('Sign') === true;

/** Identifies the code of a bundle. A deployed version has it in its description. */
export const bundleHash = (folder: string): string => {
  const hash = createHash('sha256');
  for (const file of readdirSync(folder).sort())
    if (file.endsWith('.js')) hash.update(readFileSync(join(folder, file)));
  return `sha256:${hash.digest('hex')}`;
};

/**
 * Bundles every function, and ends esbuild's process. `bin/stack-frame.ts` calls it at other commits.
 * @param withSourceMaps writes an `index.js.map` beside each bundle; it must not be deployed
 * @throws the error of esbuild
 */
export const bundleFunctions = async (
  folder: string = join(OUTPUT, 'functions'),
  withSourceMaps: boolean = false,
): Promise<Bundles> => {
  const folders = ids.map((id) => [id, join(folder, id)] as const);
  // Files of an earlier build would be deployed too.
  await Promise.all(folders.map(([, place]) => rm(place, { recursive: true, force: true })));
  // What shortens a cold start, largest measured effect first: CommonJS instead of ES modules, the SDK without
  // unreachable parts, minification, no inline source map.
  await build({
    ...OPTIONS,
    entryPoints: [
      ...ids.map((id) => ({ in: fileOf(id, 'handler.ts'), out: `${id}/index` })),
      ...ids.filter(signs).map((id) => ({ in: 'core/signing/kms.ts', out: `${id}/signing` })),
    ],
    outdir: folder,
    format: 'cjs',
    // The SDK's `import('node:http')` makes Node load undici, which takes 30 ms. `require` does not.
    supported: { 'dynamic-import': false },
    // Beside the bundle, which does not mention it and so has the same bytes.
    sourcemap: withSourceMaps && 'external',
    plugins: [signingFile, sdkStubs()],
  });
  // Frees its memory before the synthesis.
  await stop();
  return Object.fromEntries(folders) as Record<BundleId, string>;
};

/** Bundles what a stage with `intake` runs; speed does not matter to it. @throws the error of esbuild */
export const bundleIntake = async (): Promise<IntakeBundles> => {
  const folder = join(OUTPUT, 'intake');
  await rm(folder, { recursive: true, force: true });
  await build({
    ...OPTIONS,
    entryPoints: [
      { in: 'lib/intake/starter.ts', out: 'starter/index' },
      { in: 'bin/intake.ts', out: 'program/index' },
    ],
    outdir: folder,
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    // Packages in CommonJS require Node's own modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  await stop();
  return { starter: join(folder, 'starter'), program: join(folder, 'program') };
};
