import { rmSync } from 'node:fs';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runCommand } from '../../support/run-command.ts';

const CLIENT = resolve(import.meta.dirname, '../../../client');

/** Installs the package as users do: from the file of `npm pack`, in an empty folder, deleted when Jest ends. */
export default async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'client-package-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  // Read by installed-package.ts.
  process.env.CLIENT_INSTALLED_IN = folder;
  const npm = (cwd: string, ...args: string[]) => runCommand('npm', [...args, '--no-audit', '--no-fund'], { cwd });
  await npm(CLIENT, 'ci');
  await npm(CLIENT, 'pack', '--pack-destination', folder);
  const [tarball = ''] = await readdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await npm(folder, 'install', '--offline', `./${tarball}`);
};
