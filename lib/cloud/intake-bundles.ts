import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build, stop } from 'esbuild';

/** The folders of the intake's bundles, each with one `index.js`. */
export interface IntakeBundles {
  /** A function, with its `handler`. */
  readonly starter: string;
  /** The program that CodeBuild runs. */
  readonly program: string;
}

const ROOT = resolve(import.meta.dirname, '../..');
const DEFAULT_FOLDER = join(ROOT, 'cdk.out', 'intake');

/** Bundles what a stage with `intake` runs. Only such a stage needs it, and speed matters to neither. @throws the error of esbuild */
export const bundleIntake = async (folder: string = DEFAULT_FOLDER): Promise<IntakeBundles> => {
  await rm(folder, { recursive: true, force: true });
  await build({
    absWorkingDir: ROOT,
    entryPoints: [
      { in: 'lib/intake/starter.ts', out: 'starter/index' },
      { in: 'bin/intake.ts', out: 'program/index' },
    ],
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    // Packages in CommonJS require Node's own modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  await stop();
  return { starter: join(folder, 'starter'), program: join(folder, 'program') };
};
