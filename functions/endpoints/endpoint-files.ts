/** Finds a function's files by the name of its folder, which is the endpoint's id. */
import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type EndpointId, endpoints } from './table.ts';

/** Functions that serve requests: one per endpoint, `jwks` for public keys, `not-found` for every other path. */
export type FunctionId = EndpointId | 'jwks' | 'not-found';

export const FUNCTION_IDS = [...Object.keys(endpoints), 'jwks', 'not-found'] as readonly FunctionId[];

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = 'functions/endpoints';

/** Otherwise requests to an endpoint without a line in the table would get 404, and no program would say why. */
const requireLines = (): void => {
  const folders = readdirSync(resolve(ROOT, FOLDER), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const unlisted = folders.find(({ name }) => !Object.hasOwn(endpoints, name))?.name;
  if (unlisted === undefined) return;
  throw new Error(`endpoint ${unlisted} is not in ${FOLDER}/table.ts: add its line, with "${unlisted}" as its id`);
};

/** The absolute path of a function's file. @throws Error that names the missing file or line of the table */
export const fileOf = (id: FunctionId | 'probe', name: 'handler.ts' | 'document.ts'): string => {
  requireLines();
  const file = `${Object.hasOwn(endpoints, id) ? FOLDER : 'functions'}/${id}/${name}`;
  if (!existsSync(resolve(ROOT, file))) throw new Error(`endpoint ${id} has no ${name}: write ${file}`);
  return resolve(ROOT, file);
};

/** Imports a function's file. @throws Error like `fileOf` */
export const importFile = async <Module>(...file: Parameters<typeof fileOf>): Promise<Module> =>
  import(pathToFileURL(fileOf(...file)).href);
