/**
 * Checksums of a data folder, stored in it while no service uses it. LevelDB detects neither a missing nor a truncated log
 * and would start with fewer items.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PRIVATE_FILE } from '../../private-file.ts';

/** Exists only after a service has closed the folder. */
export const CHECKSUMS_FILE = 'checksums.json';

/** The files that contain data. The others are rewritten at each start. */
const DATA_FILE = /^(\d+\.(ldb|sst|log)|MANIFEST-\d+|CURRENT)$/;

const checksumOf = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

/** Writes the checksums of the folder's data. */
export const writeChecksums = async (directory: string): Promise<void> => {
  const checksums: Record<string, string> = {};
  for (const file of (await readdir(directory)).filter((name) => DATA_FILE.test(name)))
    checksums[file] = await checksumOf(join(directory, file));
  await writeFile(join(directory, CHECKSUMS_FILE), `${JSON.stringify(checksums, null, 2)}\n`, PRIVATE_FILE);
};

/** Deletes the checksums: they are no longer valid once the folder is used. */
export const deleteChecksums = (directory: string): Promise<void> =>
  rm(join(directory, CHECKSUMS_FILE), { force: true });

const readChecksums = async (directory: string): Promise<object | undefined> => {
  try {
    const checksums: unknown = JSON.parse(await readFile(join(directory, CHECKSUMS_FILE), 'utf8'));
    return typeof checksums === 'object' && checksums !== null ? checksums : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** Describes the first file that differs from its checksum; undefined when all match. */
export const describeMismatch = async (directory: string): Promise<string | undefined> => {
  const checksums = await readChecksums(directory);
  if (checksums === undefined) return `${CHECKSUMS_FILE} is unreadable`;
  const present = new Set(await readdir(directory));
  for (const [file, checksum] of Object.entries(checksums)) {
    if (!present.has(file)) return `${file} is missing`;
    if ((await checksumOf(join(directory, file))) !== checksum) return `${file} has changed`;
  }
  return undefined;
};
