/**
 * Compiles functions for the Node that runs this: `compile-process.ts ID=FOLDER …`. Each is loaded and rehearsed on the
 * sample data, so that V8 has compiled what a request needs, and that is written beside it.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { LOCAL_TABLE_NAMES } from '../../functions/tables.ts';
import type { FunctionId } from '../cloud/bundles.ts';
import { startEmbeddedEngine } from '../local/engine/embedded.ts';
import { applyEnvironment, localEnvironment } from '../local/environment.ts';
import { fillDatabase } from '../local/sample-database.ts';
import { EXAMPLE_TIME } from '../openapi/examples/example.ts';
import { rehearsalOf } from './rehearsal.ts';

/** As `loader.cjs` looks for it. */
const cacheName = `${process.version}-${process.platform}-${process.arch}.cache`;

interface Loaded {
  exports: { handler?: (event: object, context: object) => Promise<{ statusCode: number }> };
}

const compile = async (id: FunctionId, folder: string, key: string): Promise<void> => {
  const filename = join(folder, 'function.js');
  const script = new Script(await readFile(filename, 'utf8'), { filename });
  const module: Loaded = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(filename), module, filename, folder);
  const { event, status } = rehearsalOf(id, key);
  const answer = await module.exports.handler?.(event, {});
  if (answer?.statusCode !== status) throw new Error(`${id} answered ${answer?.statusCode} instead of ${status}`);
  await writeFile(join(folder, cacheName), script.createCachedData());
};

const engine = await startEmbeddedEngine({ port: 0 });
const { premium } = await fillDatabase(engine.endpoint, new Date(EXAMPLE_TIME));
applyEnvironment({
  ...localEnvironment(engine.endpoint, LOCAL_TABLE_NAMES),
  // As deployed, so that log and metrics are compiled too.
  POWERTOOLS_LOG_LEVEL: 'INFO',
  POWERTOOLS_METRICS_NAMESPACE: 'rehearsal',
});
for (const argument of process.argv.slice(2)) {
  const separator = argument.indexOf('=');
  await compile(argument.slice(0, separator) as FunctionId, argument.slice(separator + 1), premium);
}
// The functions keep their connections.
process.exit(0);
