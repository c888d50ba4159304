import { join } from 'node:path';
import { build, type Format } from 'esbuild';
import { bundleFunctions } from '../../lib/cloud/bundles.ts';

/** A look-up in a bundle of its own. */
export interface Peer {
  readonly name: string;
  readonly file: string;
}

const bundleRaw = async (folder: string, format: Format): Promise<string> => {
  const outfile = join(folder, format === 'esm' ? 'raw.mjs' : 'raw.cjs');
  // The SDK's CommonJS parts need a `require` in an ES module.
  const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  await build({
    entryPoints: [join(import.meta.dirname, 'raw-look-up.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format,
    minify: true,
    mainFields: ['module', 'main'],
    ...(format === 'esm' ? { banner: { js: banner } } : {}),
  });
  return outfile;
};

/** The raw handler, which is the measure, and the product's look-up as it is deployed. */
export const bundlePeers = async (folder: string): Promise<readonly [Peer, ...Peer[]]> => {
  const bundles = await bundleFunctions(join(folder, 'functions'));
  return [
    { name: 'raw SDK handler, ES module', file: await bundleRaw(folder, 'esm') },
    { name: 'raw SDK handler, CommonJS', file: await bundleRaw(folder, 'cjs') },
    { name: 'vehicle-insurance', file: join(bundles['vehicle-insurance'], 'index.js') },
  ];
};
