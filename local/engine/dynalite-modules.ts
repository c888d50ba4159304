/**
 * The parts of dynalite that this engine uses; package.json pins the version. Its HTTP server throws on an aborted
 * request and on every internal error, which would end this process.
 */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import type { Readable } from 'node:stream';
import type { JsonObject } from './protocol.ts';

type Callback<T> = (error: unknown, result?: T) => void;

interface RecordStore {
  get(key: string, done: Callback<unknown>): void;
  createValueStream(options: object): Readable;
  /** `run` gets a function that makes a callback release the lock. */
  lock(key: string, run: (release: <Done>(done: Done) => Done) => void): void;
}

export interface DynaliteTable {
  readonly KeySchema: readonly { readonly AttributeName: string }[];
}

export interface DynaliteStore {
  readonly db: {
    open(): Promise<void>;
    close(): Promise<void>;
  };
  /** Tables that are being created or deleted count as absent unless `checkStatus` is false. */
  getTable(
    name: string,
    ...rest: [done: Callback<DynaliteTable>] | [checkStatus: boolean, done: Callback<DynaliteTable>]
  ): void;
  getItemDb(table: string): RecordStore;
}

interface DynaliteDatabase {
  create(options: object): DynaliteStore;
}

interface DynaliteValidations {
  checkTypes(input: JsonObject, types: object): JsonObject;
  checkValidations(input: JsonObject, types: object, custom: unknown, store: DynaliteStore): void;
}

interface DynaliteOperation {
  readonly validation: { readonly types: object; readonly custom?: unknown };
  readonly perform: (store: DynaliteStore, input: JsonObject, done: Callback<JsonObject>) => void;
}

const require = createRequire(import.meta.url);

export const dynaliteDatabase: DynaliteDatabase = require('dynalite/db');
export const validations: DynaliteValidations = require('dynalite/validations');

/** The operations by their names in the API: `GetItem` for the files `getItem.js`. */
export const operations: ReadonlyMap<string, DynaliteOperation> = new Map(
  readdirSync(dirname(require.resolve('dynalite/actions/getItem'))).map((file) => [
    `${file.charAt(0).toUpperCase()}${basename(file, '.js').slice(1)}`,
    { validation: require(`dynalite/validations/${file}`), perform: require(`dynalite/actions/${file}`) },
  ]),
);
