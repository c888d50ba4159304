/**
 * Checksums of a data folder, kept in it while no service uses it. LevelDB notices neither a missing nor a shortened log
 * and would start with fewer items.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Present only after a service has closed the folder. */
export const SEAL_FILE = 'checksums.json';

/** The files that hold data; the others are rewritten at each start. */
const SEALED_FILE = /^(\d+\.(ldb|sst|log)|MANIFEST-\d+|CURRENT)$/;

const checksumOf = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

/** Records what the folder holds. */
export const sealFolder = async (directory: string): Promise<void> => {
  const checksums: Record<string, string> = {};
  for (const file of (await readdir(directory)).filter((name) => SEALED_FILE.test(name)))
    checksums[file] = await checksumOf(join(directory, file));
  await writeFile(join(directory, SEAL_FILE), `${JSON.stringify(checksums, null, 2)}\n`, { mode: 0o600 });
};

/** The record no longer holds once the folder is used. */
export const breakSeal = (directory: string): Promise<void> => rm(join(directory, SEAL_FILE), { force: true });

const readSeal = async (directory: string): Promise<object | undefined> => {
  try {
    const seal: unknown = JSON.parse(await readFile(join(directory, SEAL_FILE), 'utf8'));
    return typeof seal === 'object' && seal !== null ? seal : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** What has changed in the folder since it was sealed, in words; undefined when nothing has. */
export const sealedDifference = async (directory: string): Promise<string | undefined> => {
  const seal = await readSeal(directory);
  if (seal === undefined) return `${SEAL_FILE} is unreadable`;
  const present = new Set(await readdir(directory));
  for (const [file, checksum] of Object.entries(seal)) {
    if (!present.has(file)) return `${file} is missing`;
    if ((await checksumOf(join(directory, file))) !== checksum) return `${file} has changed`;
  }
  return undefined;
};
