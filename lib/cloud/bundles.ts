import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build, type Plugin, stop } from 'esbuild';
import { endpoints } from '../../functions/endpoints/table.ts';
import type { ServedEndpoint } from '../../functions/http/endpoint.ts';
import { FUNCTION_IDS, type FunctionId, fileOf } from '../endpoint-files.ts';
import { sdkStubs } from './sdk-stubs.ts';

type BundleId = FunctionId | 'probe';

/**
 * The folder of each function's bundle, including the probe's. It holds `index.js`, which exports `handler`, and beside it
 * `signing.js` where answers may be signed.
 */
export type Bundles = Readonly<Record<BundleId, string>>;

const ROOT = resolve(import.meta.dirname, '../..');

/** Inside the output folder of `cdk synth`, which git ignores. */
const DEFAULT_FOLDER = join(ROOT, 'cdk.out', 'functions');

const ids: readonly BundleId[] = [...FUNCTION_IDS, 'probe'];

/** What signs answers. Nothing else of it is in `index.js`, so that a request without a signature does not pay for it. */
const SIGNING = { source: 'core/signing/kms.ts', file: 'signing' } as const;

const signingFile: Plugin = {
  name: 'signing-file',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/signing\/kms\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${SIGNING.file}.js`, external: true } : undefined,
    ),
};

const signs = (id: BundleId): boolean =>
  (endpoints as Partial<Record<BundleId, ServedEndpoint>>)[id]?.signing?.includes('Sign') === true;

/**
 * What shortens a cold start, largest measured effect first: CommonJS instead of ES modules, the SDK without unreachable parts,
 * minification, no inline source map.
 */
const bundle = (folder: string, withSdkClient: boolean, withSourceMaps: boolean) =>
  build({
    absWorkingDir: ROOT,
    entryPoints: [
      ...ids.map((id) => ({ in: fileOf(id, 'handler.ts'), out: `${id}/index` })),
      ...ids.filter(signs).map((id) => ({ in: SIGNING.source, out: `${id}/${SIGNING.file}` })),
    ],
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
    plugins: [signingFile, ...(withSdkClient ? [] : [sdkStubs()])],
  });

/** Identifies the code of a bundle. A deployed version has it in its description. */
export const bundleHash = (folder: string): string => {
  const hash = createHash('sha256');
  for (const file of readdirSync(folder).sort())
    if (file.endsWith('.js')) hash.update(readFileSync(join(folder, file)));
  return `sha256:${hash.digest('hex')}`;
};

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
