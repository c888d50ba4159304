/** The files of functions that are found by the name of their folder, which is the id of the endpoint. */
import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type EndpointId, endpoints } from '../functions/endpoints/table.ts';

/** The functions that serve requests: one per endpoint, and the one for every other path. */
export type FunctionId = EndpointId | 'not-found';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDER = 'functions/endpoints';

// Every program that finds files by folder stops here: a forgotten line would otherwise only be an endpoint that does not respond.
const unlisted = readdirSync(resolve(ROOT, FOLDER), { withFileTypes: true }).find(
  (entry) => entry.isDirectory() && !Object.hasOwn(endpoints, entry.name),
)?.name;
if (unlisted !== undefined) {
  throw new Error(
    `endpoint ${unlisted} is not in ${FOLDER}/table.ts: add its line, with "${unlisted}" as the id of its row`,
  );
}

const folderOf = (id: string): string => (id === 'not-found' || id === 'probe' ? `functions/${id}` : `${FOLDER}/${id}`);

/** The path of a function's file. @throws Error naming the endpoint and the file that it has not */
export const fileOf = (id: FunctionId | 'probe', name: 'handler.ts' | 'document.ts'): string => {
  const file = `${folderOf(id)}/${name}`;
  if (!existsSync(resolve(ROOT, file))) throw new Error(`endpoint ${id} has no ${name}: write ${file}`);
  return resolve(ROOT, file);
};

/** Imports a function's file. @throws Error as `fileOf` */
export const importFileOf = async <Module>(...file: Parameters<typeof fileOf>): Promise<Module> =>
  import(pathToFileURL(fileOf(...file)).href);
