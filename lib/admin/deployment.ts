import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { prefixedTableNames, type TableNames } from '../../functions/tables.ts';
import { CommandFailure } from './command-failure.ts';

/** Where `npm start` puts its engine unless it is told otherwise. */
export const LOCAL_ADDRESS = 'http://127.0.0.1:8000';

/** The options that every command takes, to say on which deployment it works. */
export interface DeploymentOptions {
  readonly dynamodb?: string;
  readonly tables?: string;
}

/** The database and tables that a command works on. */
export interface Deployment {
  readonly db: DynamoDBClient;
  readonly tableNames: TableNames;
  /** As an operator knows the database, for sentences about it. */
  readonly address: string;
}

/** Milliseconds; an operator's load may queue behind its own batches, so there is more patience than in a function. */
const CONNECTION_TIMEOUT_MS = 2_000;
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 3;

/** An engine on this machine asks for credentials but not for true ones. */
const LOCAL_ENGINE = { region: 'eu-west-2', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

const connect = (endpoint: string): DynamoDBClient => {
  const db = new DynamoDBClient({
    ...LOCAL_ENGINE,
    endpoint,
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    }),
  });
  // It prepares every item for a log that nobody keeps: a tenth of an import's time.
  db.middlewareStack.remove('loggerMiddleware');
  return db;
};

const isHttpAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/**
 * The deployment that the options name; nothing is asked of it yet.
 * @throws CommandFailure when the address is none
 */
export const openDeployment = (
  { dynamodb: address = LOCAL_ADDRESS, tables }: DeploymentOptions,
  tableNames: TableNames,
): Deployment => {
  if (!isHttpAddress(address)) {
    throw new CommandFailure(`--dynamodb takes the address of a DynamoDB engine, such as ${LOCAL_ADDRESS}`);
  }
  return { db: connect(address), address, tableNames: tables === undefined ? tableNames : prefixedTableNames(tables) };
};
