import { type TableId, type TableNames, tables } from '../../functions/tables.ts';

/** How much the functions log beside the service's own access lines, unless a developer asks for more. */
const QUIET = 'ERROR';

/** What a function's environment holds when it runs on this machine. */
export const localEnvironment = (endpoint: string, names: TableNames): Record<string, string> => ({
  AWS_REGION: 'eu-west-2',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  ...Object.fromEntries((Object.keys(tables) as TableId[]).map((id) => [tables[id].environmentVariable, names[id]])),
});

/** Gives this process the environment of the functions that it is about to load. */
export const applyEnvironment = (environment: Record<string, string>): void => {
  process.env.POWERTOOLS_LOG_LEVEL ??= QUIET;
  Object.assign(process.env, environment);
};

/** What the developer's shell says of the service: its ports, and by which further names it is reached. */
export const settingsFromEnvironment = () => ({
  port: process.env.PORT,
  dynamodbPort: process.env.DYNAMODB_PORT,
  allowedHosts: process.env.ALLOWED_HOSTS,
});
