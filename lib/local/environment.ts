/** The one place in lib/local that reads and writes `process.env`. */
import { type TableId, type TableNames, tables } from '../../core/tables.ts';

/** The functions' log level on this machine, unless the shell sets another one: the service prints its own access lines. */
const LOG_LEVEL = 'ERROR';

/** The environment of the functions on this machine. */
export const localEnvironment = (endpoint: string, names: TableNames): Record<string, string> => ({
  AWS_REGION: 'eu-west-2',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  ...Object.fromEntries((Object.keys(tables) as TableId[]).map((id) => [tables[id].environmentVariable, names[id]])),
});

/** The environment of the functions that sign answers. They read it when they sign. */
export const signingEnvironment = (kmsEndpoint: string, issuer: string): Record<string, string> => ({
  AWS_ENDPOINT_URL_KMS: kmsEndpoint,
  SIGNED_ANSWERS_ISSUER: issuer,
  SIGNING_KEYS: 'local',
});

/** Sets the environment of the functions. Tables and database must be set before they are imported. */
export const applyEnvironment = (environment: Record<string, string>): void => {
  process.env.POWERTOOLS_LOG_LEVEL ??= LOG_LEVEL;
  Object.assign(process.env, environment);
};

/** The environment variables that configure the service. */
export const settingsFromEnvironment = () => ({
  port: process.env.PORT,
  dynamodbPort: process.env.DYNAMODB_PORT,
  allowedHosts: process.env.ALLOWED_HOSTS,
});
