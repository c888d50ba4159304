import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CACHE } from '../support/python-tools.ts';
import { runCommand, succeeds } from '../support/run-command.ts';

/** Installs the packages of the programs that are missing. @throws Error naming them where that cannot be done */
export const requirePrograms = async (programs: Readonly<Record<string, string>>): Promise<void> => {
  const present = await Promise.all(Object.keys(programs).map((name) => succeeds('which', [name])));
  const packages = Object.values(programs).filter((_, index) => !present[index]);
  if (packages.length === 0) return;
  if (process.getuid?.() !== 0 || !(await succeeds('which', ['apt-get'])))
    throw new Error(`Install these first: ${packages.join(', ')}. Only root on Debian gets them installed from here.`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await runCommand('apt-get', ['update'], { env });
  await runCommand('apt-get', ['install', '--yes', '--no-install-recommends', ...packages], { env });
};

const PACKAGE = 'aws-lambda-ric';
/** The first line of versions for the runtimes of Node 22 and later. */
const VERSION = '4.0.2';

/** What its C++ part is built with. */
const BUILD_PROGRAMS = {
  ...{ cmake: 'cmake', make: 'make', 'g++': 'g++' },
  ...{ autoconf: 'autoconf', automake: 'automake', libtoolize: 'libtool' },
};

const build = async (folder: string): Promise<void> => {
  await requirePrograms(BUILD_PROGRAMS);
  const unfinished = `${folder}-unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  const allowScripts = { [PACKAGE]: true };
  await writeFile(join(unfinished, 'package.json'), JSON.stringify({ private: true, allowScripts }));
  await runCommand('nice', ['npm', 'install', '--no-audit', '--no-fund', `${PACKAGE}@${VERSION}`], { cwd: unfinished });
  await rename(unfinished, folder);
};

/**
 * AWS's own client of the runtime API, which loads the handler in Lambda, too; built once, in two minutes. Gives the
 * `node_modules` that hold it.
 */
export const buildRuntimeClient = async (): Promise<string> => {
  const folder = join(CACHE, `${PACKAGE}-${VERSION}`);
  if (!existsSync(folder)) await build(folder);
  return join(folder, 'node_modules');
};
