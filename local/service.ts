import { chmod, mkdir, open, readdir } from 'node:fs/promises';
import { writeRequestLinesTo } from '../core/runtime/log.ts';
import { LOCAL_TABLE_NAMES } from '../core/tables.ts';
import { documentationPages } from './docs/pages.ts';
import { type Engine, startEmbeddedEngine } from './engine/embedded.ts';
import { applyEnvironment, localEnvironment, lookupLogEnvironment } from './environment.ts';
import { type AccessLogEntry, startGateway } from './gateway/gateway.ts';
import { CannotStart, explainListenError, type LocalOptions } from './options.ts';
import { prepareSampleDatabase } from './sample-database.ts';

/** The name under which containers reach the host: Docker Desktop defines it, on Linux `--add-host`. */
const HOST_OF_CONTAINERS = 'host.docker.internal';

/** The folder of `npm start -- --data` has the files of the embedded engine, and the keys. */
const OWNER_ONLY = 0o700;

/** A file of every LevelDB database. A folder with other files only is left as it is. */
const MARKER = 'CURRENT';

/** Creates the folder if it is missing, and restricts it to its owner. @throws CannotStart */
const prepareDataDirectory = async (directory: string): Promise<void> => {
  try {
    // Not recursive: Node's recursive `mkdir` never returns below /proc.
    await mkdir(directory, OWNER_ONLY).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    const files = await readdir(directory);
    if (files.length > 0 && !files.includes(MARKER))
      throw new CannotStart(`The folder ${directory} has other files or damaged data: name a new or an empty folder.`);
    await chmod(directory, OWNER_ONLY);
  } catch (error) {
    if (error instanceof CannotStart) throw error;
    throw new CannotStart(
      `The data folder ${directory} cannot be used (${(error as Error).message}): name another one.`,
    );
  }
};

/** The innermost error is the most specific: LevelDB's own. */
const innermost = (error: NodeJS.ErrnoException): NodeJS.ErrnoException =>
  error.cause ? innermost(error.cause as Error) : error;

/** Explains why the engine could not open or fill the folder. */
const unusableData = (directory: string, error: Error): CannotStart => {
  const { code, message } = innermost(error);
  if (code === 'LEVEL_LOCKED')
    return new CannotStart(
      `The data folder ${directory} is in use by another npm start: stop that one, or name another folder.`,
    );
  return new CannotStart(
    `The data in ${directory} cannot be used (${message}): check its disk and permissions, or delete the folder.`,
  );
};

const startEngine = async (options: LocalOptions): Promise<Engine> => {
  const { dynamodbPort, dynamodbHost, dataDirectory, allowedHosts = [] } = options;
  if (dataDirectory !== undefined) await prepareDataDirectory(dataDirectory);
  try {
    return await startEmbeddedEngine({
      port: dynamodbPort,
      host: dynamodbHost,
      allowedHosts: dynamodbHost === undefined ? allowedHosts : [HOST_OF_CONTAINERS, ...allowedHosts],
      dataDirectory,
    });
  } catch (error) {
    const isData = (error as NodeJS.ErrnoException).code === 'LEVEL_DATABASE_NOT_OPEN';
    if (dataDirectory !== undefined && isData) throw unusableData(dataDirectory, error as Error);
    return explainListenError('DYNAMODB_PORT', dynamodbPort)(error);
  }
};

/** Adds the log lines of the functions to a file, which only its owner may read. @throws CannotStart */
const openLogFile = async (path: string) => {
  try {
    const stream = (await open(path, 'a', 0o600)).createWriteStream();
    writeRequestLinesTo(stream);
    const close = async () => {
      writeRequestLinesTo(undefined);
      await new Promise((done) => stream.end(done));
    };
    return { close };
  } catch (error) {
    throw new CannotStart(`The log file ${path} cannot be written (${(error as Error).message}): name another one.`);
  }
};

/** Starts engine, database and gateway. If one fails, the others are stopped. @throws CannotStart */
export const startLocalService = async (
  options: LocalOptions,
  onResponse: (entry: AccessLogEntry) => void = () => undefined,
) => {
  const { port, allowedHosts = [], dataDirectory, logFile, clock = Date.now } = options;
  const started: { readonly close: () => Promise<void> }[] = [];
  const stop = async () => {
    for (const { close } of started.toReversed()) await close();
  };
  try {
    const engine = await startEngine(options);
    started.push(engine);
    applyEnvironment({
      ...localEnvironment(engine.endpoint, LOCAL_TABLE_NAMES),
      ...(logFile !== undefined && lookupLogEnvironment(engine.endpoint)),
    });
    if (logFile !== undefined) started.push(await openLogFile(logFile));
    const keys = await prepareSampleDatabase(engine.endpoint, new Date(clock()), dataDirectory).catch((error) => {
      if (dataDirectory === undefined || error instanceof CannotStart) throw error;
      throw unusableData(dataDirectory, error);
    });
    const pages = documentationPages(keys.test);
    const gateway = await startGateway({ port, allowedHosts, clock, onResponse, pages }).catch(
      explainListenError('PORT', port),
    );
    started.push(gateway);
    return { origin: gateway.origin, dynamodb: engine.endpoint, keys, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

export type LocalService = Awaited<ReturnType<typeof startLocalService>>;
