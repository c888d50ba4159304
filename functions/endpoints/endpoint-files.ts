/** Finds a function's files by the name of its folder, which is the endpoint's id. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type EndpointId, endpoints } from './table.ts';

/** Functions that serve requests: one per endpoint, `not-found` for every other path. */
export type FunctionId = EndpointId | 'not-found';

export const FUNCTION_IDS = [...Object.keys(endpoints), 'not-found'] as readonly FunctionId[];

/** The absolute path of a function's file. */
export const fileOf = (id: FunctionId | 'probe', name: 'handler.ts' | 'document.ts'): string =>
  resolve(import.meta.dirname, Object.hasOwn(endpoints, id) ? '.' : '..', id, name);

export const importFunctionFile = async <Module>(...file: Parameters<typeof fileOf>): Promise<Module> =>
  import(pathToFileURL(fileOf(...file)).href);
