import { LOCAL_TABLE_NAMES } from '../../core/tables.ts';
import type { DemoKeys } from './demo-keys.ts';
import { documentationPages } from './docs/pages.ts';
import { explainDataDirectory, requireWritable, UnusableDataDirectory } from './engine/data-directory.ts';
import { type Engine, startEmbeddedEngine } from './engine/embedded.ts';
import { applyEnvironment, localEnvironment } from './environment.ts';
import { type AccessLogEntry, startGateway } from './gateway/gateway.ts';
import { CannotStart, explainListenError, type LocalOptions } from './options.ts';
import { prepareSampleDatabase } from './sample-database.ts';

/** The whole API, running on this machine. */
export interface LocalService {
  readonly origin: string;
  readonly dynamodb: string;
  readonly keys: DemoKeys;
  readonly stop: () => Promise<void>;
}

const startEngine = async (options: LocalOptions): Promise<Engine> => {
  const { dynamodbEndpoint, dynamodbPort, dataDirectory, force = false, allowedHosts = [] } = options;
  if (dynamodbEndpoint !== undefined) return { endpoint: dynamodbEndpoint, close: async () => undefined };
  try {
    return await startEmbeddedEngine({
      port: dynamodbPort,
      allowedHosts,
      ...(dataDirectory && { dataDirectory, force }),
    });
  } catch (error) {
    if (error instanceof UnusableDataDirectory) throw new CannotStart(error.message);
    return explainListenError('DYNAMODB_PORT', dynamodbPort)(error);
  }
};

/** Explains why a data folder could not be prepared. The engine reports every disk error as its own failure. */
const explainPreparation = async (directory: string, error: unknown): Promise<string> => {
  if (error instanceof CannotStart) return error.message;
  const cause = await requireWritable(directory).then(
    () => error,
    (reason: unknown) => reason,
  );
  return explainDataDirectory(directory, cause).message;
};

/** Prepares the database. Sample data of another engine is never refreshed: it may be in use. */
const prepareDatabase = async (
  { endpoint }: Engine,
  { dynamodbEndpoint, dataDirectory, clock = Date.now }: LocalOptions,
): Promise<DemoKeys> => {
  const now = new Date(clock());
  try {
    return await prepareSampleDatabase(endpoint, { now, refresh: dynamodbEndpoint === undefined, dataDirectory });
  } catch (error) {
    if (dataDirectory !== undefined) throw new CannotStart(await explainPreparation(dataDirectory, error));
    if (dynamodbEndpoint === undefined) throw error;
    throw new CannotStart(`No DynamoDB could be used at ${endpoint} (${(error as Error).name}).`);
  }
};

/**
 * Starts engine, database and gateway. If one fails, those that were started are stopped again.
 * @throws CannotStart with a message for the person who started it
 */
export const startLocalService = async (
  options: LocalOptions,
  onResponse: (entry: AccessLogEntry) => void = () => undefined,
): Promise<LocalService> => {
  const engine = await startEngine(options);
  try {
    applyEnvironment(localEnvironment(engine.endpoint, LOCAL_TABLE_NAMES));
    const keys = await prepareDatabase(engine, options);
    const pages = documentationPages(keys.test);
    const { port, allowedHosts = [], clock = Date.now } = options;
    const gateway = await startGateway({ port, allowedHosts, clock, onResponse, pages }).catch(
      explainListenError('PORT', port),
    );
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
