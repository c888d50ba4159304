import { chmod, copyFile, cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from '../support/run-command.ts';
import { buildRuntimeClient } from './runtime-client.ts';

const BOOTSTRAP = join(import.meta.dirname, 'base-image', 'bootstrap');
/** What SAM runs while it puts its emulator into the image, and what runs the bootstrap. */
const PROGRAMS = ['/bin/sh', '/bin/mv', '/bin/chmod'];
const NODE = '/var/lang/bin/node';
const MODULES = '/var/runtime/node_modules';
/** Of the client's installation, the rest is only needed to build it. */
const CLIENT_FILES = ['aws-lambda-ric/index.mjs', 'aws-lambda-ric/package.json', 'aws-lambda-ric/rapid-client.node'];
const EMPTY_FOLDERS = ['/opt', '/tmp', '/var/task', '/var/rapid'];
const ANYBODY_MAY_WRITE = 0o1777;
const EXECUTABLE = 0o755;

const LIBRARY = /(\/\S+) \(0x/g;

/** The shared libraries that programs need on this machine, by their paths. */
const librariesOf = async (programs: readonly string[]): Promise<string[]> => {
  const lists = await Promise.all(programs.map((program) => runCommand('ldd', [program])));
  return [...new Set(lists.flatMap((list) => [...list.matchAll(LIBRARY)].map(([, path = '']) => path)))];
};

/** Lays out in a folder what a container of Lambda's Node 24 needs: this machine's own Node and libraries, and no more. */
export const layOutRoot = async (root: string): Promise<void> => {
  const modules = await buildRuntimeClient();
  const put = async (from: string, to: string): Promise<void> => {
    await mkdir(join(root, dirname(to)), { recursive: true });
    await copyFile(from, join(root, to));
  };
  for (const folder of EMPTY_FOLDERS) await mkdir(join(root, folder), { recursive: true });
  await chmod(join(root, 'tmp'), ANYBODY_MAY_WRITE);
  const programs = [...PROGRAMS, process.execPath];
  const libraries = await librariesOf([...programs, join(modules, 'aws-lambda-ric/rapid-client.node')]);
  for (const path of [...PROGRAMS, ...libraries]) await put(path, path);
  await put(process.execPath, NODE);
  for (const file of CLIENT_FILES) await put(join(modules, file), join(MODULES, file));
  await cp(join(modules, '@aws'), join(root, MODULES, '@aws'), { recursive: true });
  await put(BOOTSTRAP, '/var/runtime/bootstrap');
  await chmod(join(root, '/var/runtime/bootstrap'), EXECUTABLE);
};
