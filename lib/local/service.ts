import { keysTable } from '../../functions/access/keys-table.ts';
import { createDatabase } from '../../functions/dynamodb/database.ts';
import { databaseFromEnvironment } from '../../functions/runtime/environment.ts';
import { LOCAL_TABLE_NAMES } from '../../functions/tables.ts';
import { type DemoKeys, demoKeys } from './demo-keys.ts';
import { documentationPages } from './docs/pages.ts';
import { createTables } from './engine/create-tables.ts';
import { explainDataDirectory, requireWritable, UnusableDataDirectory } from './engine/data-directory.ts';
import { startEmbeddedEngine } from './engine/embedded.ts';
import { applyEnvironment, localEnvironment } from './environment.ts';
import { type AccessRecord, startGateway } from './gateway/gateway.ts';
import { loadSampleContent, loadSampleVehicles, refreshSampleVehicles } from './load-sample-data.ts';
import { CannotStart, type LocalOptions } from './options.ts';

/** The whole API, running on this machine. */
export interface LocalService {
  readonly origin: string;
  readonly dynamodb: string;
  readonly keys: DemoKeys;
  readonly stop: () => Promise<void>;
}

interface Engine {
  readonly endpoint: string;
  readonly close: () => Promise<void>;
}

/** What keeps a part of the service from starting, as a sentence; what is not foreseen stays as it is. */
const explainStartFault =
  (variable: string, port: number) =>
  (error: unknown): never => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new CannotStart(`Port ${port} is taken; set ${variable} to another one.`);
    if (code === 'EACCES') throw new CannotStart(`Port ${port} is not yours to use; set ${variable} to another one.`);
    if (error instanceof UnusableDataDirectory) throw new CannotStart(error.message);
    throw error;
  };

const startEngine = async (options: LocalOptions): Promise<Engine> => {
  const { dynamodbEndpoint, dynamodbPort, dataDirectory, force = false, allowedHosts = [] } = options;
  if (dynamodbEndpoint !== undefined) return { endpoint: dynamodbEndpoint, close: async () => undefined };
  return startEmbeddedEngine({
    port: dynamodbPort,
    allowedHosts,
    ...(dataDirectory && { dataDirectory, force }),
  }).catch(explainStartFault('DYNAMODB_PORT', dynamodbPort));
};

/** Why kept data could not be prepared. The engine reports every failure of the disk as its own. */
const explainPreparation = async (directory: string, error: unknown): Promise<string> => {
  if (error instanceof CannotStart) return error.message;
  const cause = await requireWritable(directory).then(
    () => error,
    (reason: unknown) => reason,
  );
  return explainDataDirectory(directory, cause).message;
};

/** Tables, sample data and demo keys. Another engine's tables are only filled when they were made just now. */
const prepare = async (engine: Engine, { dynamodbEndpoint, dataDirectory }: LocalOptions): Promise<DemoKeys> => {
  const db = createDatabase(databaseFromEnvironment());
  const now = new Date();
  try {
    const made = await createTables(db, LOCAL_TABLE_NAMES);
    if (made.includes('vehicles')) await loadSampleVehicles(db, LOCAL_TABLE_NAMES, now);
    else if (dynamodbEndpoint === undefined) await refreshSampleVehicles(db, LOCAL_TABLE_NAMES, now);
    if (made.includes('content')) await loadSampleContent(db, LOCAL_TABLE_NAMES, now);
    return await demoKeys(keysTable(db, LOCAL_TABLE_NAMES.keys), now, dataDirectory);
  } catch (error) {
    if (dataDirectory !== undefined) throw new CannotStart(await explainPreparation(dataDirectory, error));
    if (dynamodbEndpoint === undefined) throw error;
    throw new CannotStart(`No DynamoDB could be used at ${engine.endpoint} (${(error as Error).name}).`);
  } finally {
    db.destroy();
  }
};

/**
 * Starts engine, data and gateway; whatever was started is stopped again when something fails.
 * @throws CannotStart in words for the person who asked
 */
export const startLocalService = async (
  options: LocalOptions,
  onAnswer: (record: AccessRecord) => void = () => undefined,
): Promise<LocalService> => {
  const engine = await startEngine(options);
  try {
    applyEnvironment(localEnvironment(engine.endpoint, LOCAL_TABLE_NAMES));
    const keys = await prepare(engine, options);
    const pages = documentationPages(keys.standard);
    const { port, allowedHosts = [] } = options;
    const gateway = await startGateway({ port, allowedHosts, onAnswer, pages }).catch(explainStartFault('PORT', port));
    const stop = async () => {
      await gateway.close();
      await engine.close();
    };
    return { origin: gateway.origin, dynamodb: engine.endpoint, keys, stop };
  } catch (error) {
    await engine.close();
    throw error;
  }
};
