import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../support/run-command.ts';
import { CACHE } from './cache.ts';
import { requirePrograms } from './debian-packages.ts';

const PACKAGE = 'aws-lambda-ric';
/** The first line of versions for the runtimes of Node 22 and later. */
const VERSION = '4.0.2';

/** What its C++ part is built with. */
const BUILD_PROGRAMS = {
  cmake: 'cmake',
  make: 'make',
  'g++': 'g++',
  autoconf: 'autoconf',
  automake: 'automake',
  libtoolize: 'libtool',
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
