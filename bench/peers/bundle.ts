import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { bundleFunctions } from '../../lib/cloud/bundles.ts';
import { PEERS, type Peer, PRODUCT } from './peers.ts';

/** A folder as it is deployed, in kB of 1,000 bytes. */
export interface Size {
  readonly plain: number;
  readonly gzipped: number;
}

/** A peer, built. */
export interface Bundle {
  readonly peer: Peer;
  /** The module that exports `handler`. */
  readonly file: string;
  readonly size: Size;
}

/** All files of a folder together, each gzipped by itself. */
export const sizeOf = async (folder: string): Promise<Size> => {
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
  const total = (bytes: (file: Buffer) => number) => files.reduce((sum, file) => sum + bytes(file), 0) / 1_000;
  return { plain: total((file) => file.length), gzipped: total((file) => gzipSync(file).length) };
};

const source = (name: string) => join(import.meta.dirname, `${name}.ts`);

/** What everybody sets who bundles a function: everything in one minified file. */
const ORDINARY: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  minify: true,
  mainFields: ['module', 'main'],
  legalComments: 'none',
};

/** CommonJS packages need a `require` in an ES module. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

const bundlePeer = async (peer: Peer, folder: string): Promise<Bundle> => {
  const { id, format } = peer;
  const own = join(folder, `${id}-${format}`);
  const file = join(own, format === 'esm' ? 'index.mjs' : 'index.cjs');
  await build({
    ...ORDINARY,
    entryPoints: [source(id)],
    outfile: file,
    format,
    ...(format === 'esm' ? { banner: { js: REQUIRE } } : {}),
  });
  return { peer, file, size: await sizeOf(own) };
};

const deployedBundle = async (peer: Peer, folder: string): Promise<Bundle> => {
  const { 'vehicle-insurance': deployed } = await bundleFunctions(folder);
  return { peer, file: join(deployed, 'index.js'), size: await sizeOf(deployed) };
};

/** Every peer's bundle, and the product's exactly as it is deployed. */
export const bundlePeers = (folder: string): Promise<readonly Bundle[]> =>
  Promise.all(
    PEERS.map((peer) =>
      peer === PRODUCT ? deployedBundle(peer, join(folder, 'functions')) : bundlePeer(peer, folder),
    ),
  );

/** What runs in a peer's process. */
export type Program = 'cold-process' | 'warm-process';

/** The program that measures, bundled so that its process has nothing in it that Lambda's has not: no TypeScript. */
export const bundleProgram = async (name: Program, folder: string): Promise<string> => {
  const outfile = join(folder, `${name}.mjs`);
  await build({ ...ORDINARY, entryPoints: [source(name)], outfile, format: 'esm' });
  return outfile;
};
