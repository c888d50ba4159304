import { rmSync } from 'node:fs';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type * as Library from '../../../client/src/index.ts';
import { runCommand } from '../../support/program.ts';

const CLIENT = resolve(import.meta.dirname, '../../../client');

/**
 * For Jest's global set-up: installs the package as users do, from the file of `npm pack`, in an empty folder, which is
 * deleted when Jest ends.
 */
export default async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'client-package-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  process.env.CLIENT_INSTALLED_IN = folder;
  const npm = (cwd: string, ...args: string[]) => runCommand('npm', [...args, '--no-audit', '--no-fund'], { cwd });
  await npm(CLIENT, 'ci');
  await npm(CLIENT, 'pack', '--pack-destination', folder);
  const [tarball = ''] = await readdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await npm(folder, 'install', '--offline', `./${tarball}`);
};

/** Where the package is installed, with the file that `npm pack` has made. */
export const installationFolder = process.env.CLIENT_INSTALLED_IN ?? '';

export const packageFolder = join(installationFolder, 'node_modules/vehicle-verification');

/** The command that npm links. */
export const command = join(installationFolder, 'node_modules/.bin/vehicle-verification');

export const importLibrary = async () => (await import(join(packageFolder, 'dist/index.js'))) as typeof Library;

/** A clock that advances by each delay. `waits` has the milliseconds; `random` is always 0.5. */
export const virtualTime = () => {
  const waits: number[] = [];
  let now = Date.UTC(2026, 10, 22, 12, 0, 30);
  const timing: Library.Timing = {
    now: () => now,
    random: () => 0.5,
    sleep: async (milliseconds, signal) => {
      signal?.throwIfAborted();
      waits.push(milliseconds);
      now += milliseconds;
    },
  };
  return { timing, waits };
};
