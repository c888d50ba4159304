import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpoints, fallback } from '../../../functions/endpoints.ts';
import { bundleFunctions, type FunctionId } from '../../../lib/cloud/bundles.ts';

/** A function as it is deployed or as it is written, by its endpoint. */
export type Handlers = Readonly<Record<FunctionId, (event: unknown, context: unknown) => Promise<unknown>>>;

const ROOT = new URL('../../../', import.meta.url);

const entries = [
  ...Object.entries(endpoints).map(([id, { entry }]) => [id, entry] as const),
  ['not-found', fallback.entry] as const,
];

/** The functions as they are written. The environment must be set before. */
export const sourceHandlers = async (): Promise<Handlers> => {
  const loaded = await Promise.all(
    entries.map(async ([id, entry]) => [id, (await import(new URL(entry, ROOT).href)).handler]),
  );
  return Object.fromEntries(loaded);
};

/** The functions as they are deployed. The environment must be set before. */
export const bundledHandlers = async (): Promise<Handlers> => {
  const folder = await mkdtemp(join(tmpdir(), 'bundles-'));
  try {
    const bundles = await bundleFunctions(folder);
    const require = createRequire(import.meta.url);
    return Object.fromEntries(
      Object.entries(bundles).map(([id, place]) => [id, require(join(place, 'index.js')).handler]),
    ) as Handlers;
  } finally {
    await rm(folder, { recursive: true });
  }
};
